/**
 * edge <-> gpu-worker: POST /plan. The situation of one request in, the plan toward its goal out. Pure and deterministic: the
 * same request and checkpoint give the same plan, whatever else is in the batch.
 */
import { z } from "zod";
import { ModelSize } from "./model-sizes.ts";

export const ActionCategory = z.enum(["retrieval", "navigation", "interaction", "system"]);
export type ActionCategory = z.infer<typeof ActionCategory>;

export const ConfidenceLabel = z.enum(["High", "Medium", "Low"]);
export type ConfidenceLabel = z.infer<typeof ConfidenceLabel>;

/** Size of the interface's vocabulary: ids 0 to 902. */
export const actionCount = 903;
export const ActionId = z
  .int()
  .min(0)
  .max(actionCount - 1);

/** How actions of the vocabulary are written: the longest name has 20 letters. */
export const ActionName = z.string().regex(/^[a-z][a-z0-9_]{0,31}$/);

/** A number that a model computed, bounded so that sums of such numbers stay finite. */
export const Figure = z.number().min(-1_000_000).max(1_000_000);

/** Most names of required parameters that are sent for one tool. */
export const maxNeedsPerTool = 16;
/**
 * Longest of these names, in UTF-16 units; no parameter that takes an id has a longer one. Unbounded, 128 tools could make megabytes of
 * names.
 */
export const maxNeedLetters = 64;

/** A caller's tool as the world model reads it. `needs`: the names of its required parameters. */
export const PlanTool = z.object({
  name: z.string(),
  description: z.string().default(""),
  needs: z.array(z.string()).max(maxNeedsPerTool).optional(),
});
export type PlanTool = z.infer<typeof PlanTool>;

/** A step already taken: the tool or action called, and its result (empty while unknown). */
export const PlanHistoryStep = z.object({ action: z.string(), observation: z.string().default("") });
export type PlanHistoryStep = z.infer<typeof PlanHistoryStep>;

/** One event of a conversation with tools. A call's text is the tool's name; `args` are its arguments, as JSON that may be cut. */
export const PlanTurn = z.object({
  kind: z.enum(["user", "assistant", "call", "result"]),
  text: z.string(),
  args: z.string().optional(),
});
export type PlanTurn = z.infer<typeof PlanTurn>;

/** The newest turns of a conversation that are sent; the last user message is always among them. */
export const maxPlanTurns = 64;

/** The most steps that a caller may ask for. */
export const maxPlanSteps = 10;

/** The most tools of one request: a plan over more would take longer than the edge waits. */
export const maxPlanTools = 128;

/**
 * A pseudonym of the account, taken from the signature by the worker. Remembered texts are shared only between requests with the same
 * pseudonym: with one cache for all accounts, the time of a plan would reveal whether another account had sent a text.
 */
export const Share = z.string().max(64).optional();

export const PlanRequest = z.object({
  size: ModelSize,
  goal: z.string(),
  /** Newest text last; the worker keeps the end when it cuts to the encoder's window. */
  state: z.string(),
  history: z.array(PlanHistoryStep).max(256).default([]),
  /** With tools: the conversation, newest last; the goal is its last user turn and `state` holds the instructions alone. */
  turns: z.array(PlanTurn).max(256).default([]),
  tools: z.array(PlanTool).max(maxPlanTools).default([]),
  /** With tools, if the next step has to be a call: of any tool, or of the named one. */
  mustCall: z.object({ tool: z.string().optional() }).optional(),
  /** With tools, if nothing may be changed yet: the caller is an agent in its plan mode. */
  changesNothing: z.literal(true).optional(),
  maxSteps: z.int().min(1).max(maxPlanSteps).default(5),
  share: Share,
});
export type PlanRequest = z.infer<typeof PlanRequest>;

export const PlannedStep = z.object({
  actionId: ActionId,
  /** Name of the tool if the caller has tools, else of the action. */
  actionName: z.string(),
  category: ActionCategory,
  /** Calibrated probability that this step is right, 0-1. */
  probability: Figure,
  confidence: ConfidenceLabel,
  /**
   * Predicted change of state. For actions it is the step's share of the plan's change; for tools, the change if the tool were
   * called now.
   */
  stateChange: Figure,
  /**
   * Without tools: the goal asks for this step, but the reader of wishes and the decoder together support it too little. The LLM is never
   * told such a step.
   */
  isDoubted: z.literal(true).optional(),
});
export type PlannedStep = z.infer<typeof PlannedStep>;

/**
 * Why no tool is recommended, or only as a guess: the work is done; something only the user knows is missing; no tool is needed or none
 * fits; the model is unsure, since the first step has a low probability or (without tools) is doubted.
 */
export const Abstention = z.enum(["done", "ask_user", "no_tool", "unsure"]);
export type Abstention = z.infer<typeof Abstention>;

export const BrainSignal = z.object({
  /** The first step: a tool if the caller has tools, else an action. "none" if there is nothing to call, or to do. */
  actionType: z.string(),
  /** Calibrated probability of `actionType`, 0-1. If no tool is recommended: that no call comes next, for whatever reason. */
  confidence: Figure,
  /** With "unsure" `actionType` still names the best tool or action. The others occur only with tools. */
  abstention: Abstention.optional(),
  /**
   * Only with tools, a prediction set: the fewest tools, likeliest first, that contain the next one with a given probability (see
   * the checkpoint's tunables), if any tool is needed. Absent if the set would be too large to be useful.
   */
  likelyTools: z.array(z.string()).min(1).optional(),
  /** Names of the one or two steps after the first. */
  planAhead: z.array(z.string()).max(2),
  /**
   * Whether P(goal reached) is predicted to be higher after the first step than before; without tools the policy head must also choose
   * that step first.
   */
  simulationConfirmed: z.boolean(),
  /** Cosine of state and goal, -1..1. */
  goalProximity: Figure,
});
export type BrainSignal = z.infer<typeof BrainSignal>;

/** Milliseconds. */
export const Timings = z.object({ queueMs: Figure, modelMs: Figure });

export const PlanResponse = z.object({
  steps: z.array(PlannedStep).max(maxPlanSteps),
  /** Probability of the first step, 0-1. */
  overallConfidence: Figure,
  brainSignal: BrainSignal,
  /** Probability that the goal is already reached, 0-1: the loop's stop rule. */
  goalReached: Figure,
  /** Tokens that the encoder read for this request: what planning is charged by. */
  tokens: z.int().nonnegative(),
  timings: Timings,
});
export type PlanResponse = z.infer<typeof PlanResponse>;
