/**
 * Checks that a worker's answer fits its request. A rented host may lie, and its answer reaches the caller, the LLM's prompt and
 * the ledger. An answer that no checkpoint could give counts as a failed call. Pure.
 */
import { sizes } from "../../shared/model-sizes.ts";
import { ActionName } from "../../shared/planning.ts";
import type { TaskName, TaskRequest, TaskResponse } from "../../shared/worker-tasks.ts";
import { readBinary } from "../dialects/base64.ts";

type Validators = {
  [Name in TaskName]: (request: TaskRequest<Name>, answer: TaskResponse<Name>) => boolean;
};

const isActionName = (name: string): boolean => ActionName.safeParse(name).success;

const validators: Validators = {
  plan({ tools, maxSteps }, { steps, brainSignal }) {
    const { actionType, planAhead, likelyTools = [] } = brainSignal;
    const toolNames = new Set(tools.map(({ name }) => name));
    const named = [...steps.map(({ actionName }) => actionName), actionType, ...planAhead];
    return (
      steps.length <= maxSteps &&
      likelyTools.length <= tools.length &&
      likelyTools.every((name) => toolNames.has(name)) &&
      named.every((name) => toolNames.has(name) || isActionName(name))
    );
  },
  rollout({ actions, maxSteps, initialState }, answer) {
    const { steps } = answer;
    return (
      steps.length <= (actions?.length ?? maxSteps) &&
      steps.every(({ actionName }) => isActionName(actionName)) &&
      // A blank state stands for the neutral one.
      (!initialState?.trim() || answer.initialState === initialState)
    );
  },
  embed({ size, texts }, { vectors, dimension }) {
    const { dimensions } = sizes[size];
    return (
      dimension === dimensions &&
      vectors.length === texts.length &&
      vectors.every((vector) => isVector(vector, dimensions))
    );
  },
};

const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4;

/** Whether a base64 text holds exactly this many 32-bit floats, all of them finite. */
function isVector(base64: string, dimensions: number): boolean {
  if (base64.length !== base64Length(dimensions * 4)) return false;
  const bytes = readBinary(atob(base64));
  return bytes.length === dimensions * 4 && new Float32Array(bytes.buffer).every(Number.isFinite);
}

/** Whether an answer that fits its schema also fits its request. */
export const isAnswerTo = <Name extends TaskName>(
  task: Name,
  request: TaskRequest<Name>,
  answer: TaskResponse<Name>,
): boolean => validators[task](request, answer);

/** Bytes for numbers, action names and progress lines. */
const ownBytes = 64 * 1024;

/**
 * Most bytes of an answer. Beside its vectors and numbers it repeats texts of the request, each once, and a UTF-16 unit takes
 * three bytes at most.
 */
export function boundAnswerBytes(request: TaskRequest<TaskName>, body: string): number {
  const vectors =
    "texts" in request ? request.texts.length * (base64Length(sizes[request.size].dimensions * 4) + 3) : 0;
  return ownBytes + body.length * 3 + vectors;
}
