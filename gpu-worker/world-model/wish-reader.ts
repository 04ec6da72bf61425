/**
 * The learned reader of wishes: which of the 903 actions a part of a goal asks for, by the vectors of the part and of the goal.
 * training/wish_reader.py is the network.
 */
import type { OnnxSession } from "../onnx.ts";
import { createRowRunner } from "./row-runner.ts";
import type { Scratch } from "./scratch.ts";

/** A part of a goal, or a goal that is one part: then both are the same. */
export type AskingPart = { part: Float32Array; goal: Float32Array };

export type WishReader = {
  /** Per part: probabilities of the actions by id, and of none of them last. In scratch memory. */
  read(asking: readonly AskingPart[]): Promise<Float32Array[]>;
  close(): Promise<void>;
};

const rowsPerRun = 16;

export function createWishReader(session: OnnxSession, scratch: Scratch): WishReader {
  const run = createRowRunner(scratch, rowsPerRun);
  return {
    async read(asking) {
      if (asking.length === 0) return [];
      const inputs = { part: asking.map(({ part }) => part), goal: asking.map(({ goal }) => goal) };
      return (await run(session, inputs, ["chances"])).chances;
    },
    close: () => session.close(),
  };
}
