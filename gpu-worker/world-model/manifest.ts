/**
 * manifest.json: what a checkpoint is (size, width, files with their sha256) and every number that tunes
 * it. Loading refuses a checkpoint whose files are not the ones the manifest was written for.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelSize } from "../../shared/planning.ts";

export const effects = ["none", "look", "move", "write", "commit"] as const;
/** How much an action changes the world, from nothing to what cannot be taken back. */
export const Effect = z.enum(effects);
export type Effect = z.infer<typeof Effect>;

const share = z.number().min(0).max(1);

/** Weights of a candidate's likeness to a text: cosine + idf overlap of words + share of its name + same verb + same object class. */
const Likeness = z.object({ lexical: z.number(), name: z.number(), verb: z.number(), object: z.number() });
export type Likeness = z.infer<typeof Likeness>;

/** Everything that tunes planning, in one place. Scores are on the scale of a cosine. */
export const PlanningConfig = z.object({
  beamWidth: z.int().positive(),
  /** Candidates that a beam entry may grow by at each step. */
  branching: z.int().positive(),
  toolLikeness: Likeness,
  actionLikeness: Likeness,
  toolTemperature: z.number().positive(),
  actionTemperature: z.number().positive(),
  /** Score of "none of these tools": at it, a tool is as likely as no tool. */
  noToolScore: z.number(),
  /** Share of a clause's score that comes from the whole goal. */
  wholeGoalShare: share,
  /** Taken off a clause's score for every unfinished clause before it. */
  clauseOrderPenalty: z.number(),
  maxClauses: z.int().positive(),
  /** Taken off an action like one already taken, times their cosine beyond `similarFrom`. */
  similarPenalty: z.number(),
  similarFrom: z.number(),
  /** Taken off the very action already taken; a failed one may be tried again at no cost. */
  repeatPenalty: z.number(),
  /** Taken off actions that talk to the user or steer the loop. */
  systemPenalty: z.number(),
  /** An action this share as good as a clause's best one covers it by that share to this power. */
  coverageSharpness: z.number().positive(),
  /** Score of stopping: nothing covered, and everything covered. */
  endScore: z.object({ uncovered: z.number(), covered: z.number() }),
  /** Weight of the effect order, per nat. */
  orderWeight: z.number(),
  /** Weight of the rise of goal proximity in a plan's score. */
  valueWeight: z.number(),
  /** ln P(effect of the next action | effect of the last one), from the training sequences. */
  effectOrder: z.record(z.enum(["start", ...effects]), z.record(z.enum([...effects, "end"]), z.number())),
  /** How far an action of this effect moves the state toward its target, 0-1, and what finishing adds. */
  transition: z.object({ effect: z.record(Effect, share), completion: share, goalShare: share, most: share }),
  /** Information content (sum of idf, nats) -> magnitude, piecewise linear. */
  magnitudeKnots: z.array(z.tuple([z.number(), z.number()])).min(2),
  /** Logistic regression of "the goal is reached". */
  goalReached: z.object({
    bias: z.number(),
    covered: z.number(),
    leastCovered: z.number(),
    proximity: z.number(),
  }),
  /** Tool -> action: bonus for the same verb and object class, and the cosine under which it is `unk`. */
  toolAction: z.object({ verbBonus: z.number(), objectBonus: z.number(), unknownBelow: z.number() }),
  confidence: z.object({ high: share, medium: share }),
  /** Texts that stand in for an empty state or goal, and the two that tell a failed observation. */
  neutralState: z.string(),
  neutralGoal: z.string(),
  observation: z.object({
    failed: z.string(),
    succeeded: z.string(),
    margin: z.number(),
    maxTokens: z.int().positive(),
  }),
});
export type PlanningConfig = z.infer<typeof PlanningConfig>;

export const Manifest = z.object({
  name: z.string(),
  size: ModelSize,
  dimension: z.int().positive(),
  windowTokens: z.int().positive(),
  vocabularySize: z.int().positive(),
  numActions: z.int().positive(),
  /** True once learned policy, dynamics and value heads are among the files. */
  brainLoaded: z.boolean(),
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

/** Reads a checkpoint folder and checks every file against the manifest. Throws naming the file that differs. */
export async function readCheckpoint(directory: string): Promise<Checkpoint> {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(directory, "manifest.json"), "utf8")));
  const files = new Map<string, Uint8Array>();
  for (const [name, expected] of Object.entries(manifest.files)) {
    const bytes = await readFile(join(directory, name));
    if (sha256(bytes) !== expected.sha256) {
      throw new Error(
        `checkpoint ${manifest.name}: ${name} is not the file its manifest describes (sha256 differs); restore the folder or write its manifest again`,
      );
    }
    files.set(name, bytes);
  }
  return {
    manifest,
    file(name) {
      const bytes = files.get(name);
      if (!bytes) throw new Error(`checkpoint ${manifest.name}: its manifest lists no ${name}`);
      return bytes;
    },
  };
}

export const decodeJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

/** Little-endian float32 values of a file, copied so that they are aligned. */
export const decodeFloats = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);
