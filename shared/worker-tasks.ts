/**
 * The tasks of a gpu-worker: one row each with its path, its urgency, how long the edge waits for its answer, and the schemas of
 * request and response. Edge and worker read it, so a new task is a new row.
 */
import { z } from "zod";
import { EmbedRequest, EmbedResponse } from "./embedding.ts";
import { PlanRequest, PlanResponse } from "./planning.ts";
import { RolloutRequest, RolloutResponse } from "./rollout.ts";

/** `chat`: somebody waits for the first word. `bulk`: goes after chat, and may take minutes. */
export type Urgency = "chat" | "bulk";

/** A plan takes milliseconds; a hundred long texts do not. */
const chat = { urgency: "chat", timeoutMs: 10_000 } as const;
const bulk = { urgency: "bulk", timeoutMs: 60_000 } as const;

/** The answer of a plan is compiled, once at start: each chat request reads one, and workerd interprets a schema that is not compiled. */
export const workerTasks = {
  plan: { path: "/plan", ...chat, request: PlanRequest, response: z.compile(PlanResponse) },
  rollout: { path: "/rollout", ...chat, request: RolloutRequest, response: RolloutResponse },
  embed: { path: "/embed", ...bulk, request: EmbedRequest, response: EmbedResponse },
} as const;

export type TaskName = keyof typeof workerTasks;
/** One task to do. */
export type Task = { [Name in TaskName]: { name: Name; request: TaskRequest<Name> } }[TaskName];
export type TaskRequest<Name extends TaskName> = z.infer<(typeof workerTasks)[Name]["request"]>;
export type TaskResponse<Name extends TaskName> = z.infer<(typeof workerTasks)[Name]["response"]>;
