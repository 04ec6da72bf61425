/**
 * manifest.json: what a checkpoint is (size, width, files with their sha256) and every number that tunes
 * it. Loading refuses a checkpoint whose files are not the ones the manifest was written for.
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelSize } from "../../shared/model-sizes.ts";

export const effects = ["none", "look", "move", "write", "commit"] as const;
/** How much an action changes the world, from nothing to what cannot be taken back. */
export const Effect = z.enum(effects);
export type Effect = z.infer<typeof Effect>;

const share = z.number().min(0).max(1);

/** Everything that tunes planning, in one place. */
export const PlanningConfig = z.object({
  /** Plans over the 903 actions (planning/proposals.ts, plan-actions.ts). */
  proposals: z.object({
    /** Plans drawn from the decoder. */
    samples: z.int().positive(),
    temperature: z.number().positive(),
    /** Actions less likely are not drawn: the tail of 903 is mostly noise. */
    minChance: share,
    /** Weight of an identical episode of the library (all samples together weigh 1), and how fast it falls with similarity. */
    recallWeight: z.number().nonnegative(),
    recallSharpness: z.number(),
    /**
     * An episode counts from this share of samples (`from`) that hold one of its actions. For a familiar goal every episode
     * counts, unless a share of `agreedFrom` of the samples holds the same action.
     */
    shared: z.object({ from: share, agreedFrom: share }),
    /** Support of a step among the proposals -> probability that it is right: sigmoid(scale x support + shift). */
    sureness: z.object({ scale: z.number(), shift: z.number() }),
  }),
  /** Similarity of the nearest episode from which a goal is of a kind that the library knows (planning/plan-actions.ts). */
  familiarFrom: z.number(),
  /** Wishes: the actions that the parts of a goal ask for (planning/wishes.ts). */
  wishes: z.object({
    /** Least probability of an action's verb for a wish: for one part among several, and for a goal of one part. */
    from: share,
    wholeFrom: share,
    /** Another action serves a wish from this share of the wanted action's probability. */
    servedFrom: share,
    /** A part asks for an action from this share of its likeliest action's probability. */
    askedFrom: share,
    /**
     * What is left of the probability of a step that no part asks for, and the probability from which one stays before the first that is
     * asked for.
     */
    unaskedTrust: share,
    agreedFrom: share,
    /**
     * Least probability of a verb in a part that states something: "my card was stolen" asks for something, "I called the vet" hardly
     * does, and beside what else is said less.
     */
    statedFrom: z.object({ alone: share, beside: share }),
    /** Added to each action's weight among the proposals, so that a wish can keep an action that no proposal holds. */
    unheld: z.number().positive(),
    /** Weight of the wishes' proposal, where the decoder's together weigh 1: `single` times its probability, or `several`. */
    weight: z.object({ single: z.number(), several: z.number() }),
    /** Probability of the verb -> that the step is right: sigmoid(scale x ln probability + shift). */
    sureness: z.object({ scale: z.number(), shift: z.number() }),
  }),
  /** P(goal reached) from which a goal counts as reached, once steps were taken. */
  reachedFrom: share,
  /** Weights of the regression that says whether a sequence reaches its goal (planning/outcome.ts). */
  outcome: z.object({
    /** Similarity of the nearest episode from which a goal counts as one of a kind the library knows, and how softly. */
    known: z.object({ from: z.number(), spread: z.number().positive() }),
    unlike: z.object({ fit: z.number(), covered: z.number(), shift: z.number() }),
    like: z.object({
      recalled: z.number(),
      change: z.number(),
      chance: z.number(),
      fit: z.number(),
      covered: z.number(),
      shift: z.number(),
    }),
  }),
  /** Plans over tools (planning/session.ts). */
  session: z.object({
    /**
     * Probability of all endings together from which a plan stops: at its first step, at later steps, and at any step once calls
     * have served every part of the last message.
     */
    stopFrom: share,
    planStopFrom: share,
    servedStopFrom: share,
    /** The same at a plan's first step, by what counted calls say (planning/evidence.ts). */
    countedStopFrom: z.object({ answered: share, passed: share, behind: share }),
    /**
     * What is added to a tool's log odds (planning/evidence.ts): where an id that it needs is unknown, or may be one that was said without
     * its name; where a result gave one that nothing was done with; where its last call failed and the error says how to go on; where it
     * came next after such a call before.
     */
    evidence: z.object({
      missing: z.number(),
      unnamed: z.number(),
      given: z.number(),
      again: z.number(),
      sequel: z.number(),
    }),
    /**
     * Exponent of the tool mixer's probabilities beside the reader's at a session's first turn: for a goal of one part, and for
     * one of several, whose order only the reader knows.
     */
    firstTurnTrust: z.object({ whole: share, inParts: share }),
    /** A tool less likely is named as a guess. */
    unsureBelow: share,
    /**
     * The list of likely tools: probability that it holds the next one, the most it may name, and the mixer's probability under which a
     * message hardly asks for a tool.
     */
    likely: z.object({ from: share, most: z.int().positive(), askedFrom: share }),
    /**
     * The mixer's probability for a denied part from which a tool is forbidden: it hardly sees a "not". Of "don't buy it", which denies
     * all that can be bought (`open`), it says least, since "it" is in no tool's words.
     */
    forbiddenFrom: z.object({ open: share, other: share }),
  }),
  /** Tool -> action: what is added to the cosine (world-model/actions.ts), and the score under which it is `unk`. */
  toolAction: z.object({
    verbBonus: z.number(),
    objectBonus: z.number(),
    spokenBonus: z.number(),
    bareBonus: z.number(),
    containedBonus: z.number(),
    otherEffect: z.number(),
    unknownBelow: z.number(),
  }),
  /**
   * What a plan's probabilities are multiplied by where the goal is in another language than English, all that the encoder has learned:
   * about what was right of what they said. Of 52 everyday goals in 22 other languages every plan over the 903 had a confidence of .5 or
   * more, and two were right; over tools 10 were that sure and 4 right, and of 42 lists of likely tools 15 held the right one.
   */
  foreignTrust: z.object({ actions: share, tools: share }),
  /** Probabilities from which a step is High, and Medium. */
  confidence: z.object({ high: share, medium: share }),
  /** Texts that stand in for an empty state or goal. */
  neutralState: z.string(),
  neutralGoal: z.string(),
});
export type PlanningConfig = z.infer<typeof PlanningConfig>;

export const Manifest = z.object({
  name: z.string(),
  size: ModelSize,
  /** Width of an embedding and of a latent; `encoderDimension`: of the encoder's own vector, its semantic half. */
  dimension: z.int().positive(),
  encoderDimension: z.int().positive(),
  windowTokens: z.int().positive(),
  vocabularySize: z.int().positive(),
  numActions: z.int().positive(),
  licence: z.string(),
  attribution: z.array(z.string()),
  files: z.record(z.string(), z.object({ sha256: z.string(), bytes: z.int() })),
  planning: PlanningConfig,
});
export type Manifest = z.infer<typeof Manifest>;

export type Checkpoint = {
  manifest: Manifest;
  /** The bytes of a file the manifest lists. Throws for one it does not. */
  file(name: string): Uint8Array;
};

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const hashOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  return hash.digest("hex");
};

/**
 * Checks every file of a checkpoint folder against its manifest. A file is read into memory only when asked for: memory of all
 * at once would stay with the process for good. Throws naming the file that differs.
 */
export async function readCheckpoint(directory: string): Promise<Checkpoint> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(directory, "manifest.json"), "utf8")));
  for (const [name, expected] of Object.entries(manifest.files)) {
    if ((await hashOf(join(directory, name))) !== expected.sha256) {
      throw new Error(
        `checkpoint ${manifest.name}: ${name} is not the file its manifest describes (sha256 differs); restore the folder or write its manifest again`,
      );
    }
  }
  return {
    manifest,
    file(name) {
      if (!manifest.files[name])
        throw new Error(`checkpoint ${manifest.name}: its manifest lists no ${name}`);
      return readFileSync(join(directory, name));
    },
  };
}

export const decodeJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

/** Little-endian float32 values of a file, copied so that they are aligned. */
export const decodeFloats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);
