/**
 * Reads sequences of actions with the plan decoder, for the situations of one batch. What was read is kept, so that a longer sequence
 * is read from there on: of a plan that the decoder has not written as a whole, it mostly has written the beginning.
 */
import { actionIds } from "../../world-model/actions.ts";
import { type DecoderStepResult, type MemoryRow, memoryRows } from "../../world-model/plan-decoder.ts";
import { peakOf, sumExponentials } from "../../world-model/vectors.ts";
import type { WorldModel } from "../../world-model/world-model.ts";
import type { Situation } from "../situation.ts";

/** What the decoder reads of a situation. */
export type DecodedFrom = Pick<Situation, "goal" | "state" | "parts" | "taken">;

/** `owner`: the place of its situation among those of the batch. */
export type OwnedSequence = { owner: number; actions: readonly number[] };

export type SequenceReader = {
  /** For each sequence the logits of the action after it, which must not be changed. They are valid until the batch ends. */
  read(sequences: readonly OwnedSequence[]): Promise<Float32Array[]>;
  /** How likely the decoder takes each sequence for complete: the probability that it writes `end` after it. */
  readStops(sequences: readonly OwnedSequence[]): Promise<number[]>;
};

/** The decoder after a sequence, and after those with one action more. */
type Known = DecoderStepResult & { longer: Map<number, Known> };

export async function openSequenceReader(
  { decoder }: Pick<WorldModel, "decoder">,
  situations: readonly DecodedFrom[],
): Promise<SequenceReader> {
  const { hidden, step } = await decoder.open(situations.map(memoryOf));
  const beginnings = hidden.map((one) => known({ hidden: one, logits: nothing }));

  /** The longest known beginning of a sequence, and what is left to read of it. */
  function findBeginning({ owner, actions }: OwnedSequence) {
    const left = [actionIds.start, ...actions];
    let at = beginnings[owner]!;
    for (let next = at.longer.get(left[0]!); next; next = at.longer.get(left[0]!)) {
      at = next;
      left.shift();
    }
    return { owner, at, left };
  }

  async function read(sequences: readonly OwnedSequence[]): Promise<Float32Array[]> {
    const readings = sequences.map(findBeginning);
    for (;;) {
      const unread = readings.filter(({ left }) => left.length > 0);
      if (unread.length === 0) return readings.map(({ at }) => at.logits);
      const results = await step(
        unread.map(({ owner, at, left }) => ({ owner, hidden: at.hidden, last: left[0]! })),
      );
      for (const [row, reading] of unread.entries()) {
        const longer = known(results[row]!);
        reading.at.longer.set(reading.left.shift()!, longer);
        reading.at = longer;
      }
    }
  }

  return { read, readStops: async (sequences) => (await read(sequences)).map(stopChance) };
}

const nothing = new Float32Array();
const known = (result: DecoderStepResult): Known => ({ ...result, longer: new Map() });

/** The vectors of a situation that the decoder attends to. */
function memoryOf({ goal, state, parts, taken }: DecodedFrom): MemoryRow[] {
  const recent = taken.slice(-memoryRows.taken).reverse();
  return [
    { at: memoryRows.goal, vector: goal },
    { at: memoryRows.state, vector: state },
    ...parts.slice(0, memoryRows.parts).map((vector, at) => ({ at: memoryRows.firstPart + at, vector })),
    ...recent.map(({ vector }, at) => ({ at: memoryRows.firstTaken + at, vector })),
  ];
}

/** The probability that a plan ends, by the decoder's logits after its last step. */
function stopChance(logits: Float32Array): number {
  const peak = peakOf(logits);
  return Math.exp(logits[actionIds.end]! - peak) / sumExponentials(logits, peak, 1);
}
