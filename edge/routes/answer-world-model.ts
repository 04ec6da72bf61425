/** What embeddings and rollout have in common: the task is settled however it ends, also if its caller leaves. */
import { writeCredits } from "../../shared/credits.ts";
import type { TaskName, TaskResponse } from "../../shared/worker-tasks.ts";
import { listNames, readOthers } from "../dialects/field-names.ts";
import type { EdgeContext } from "../middleware/context.ts";
import { outliveClient } from "../middleware/record-request.ts";
import { runWorldModel, type WorldModelInput } from "../pipeline/run-world-model.ts";

type WorldModelTask<Name extends TaskName> = Pick<
  WorldModelInput<Name>,
  "task" | "request" | "tokenBound" | "model"
>;

/** Tells the caller of fields that have no effect here, in `x-svc-unsupported`. */
export function nameUnknownFields(context: EdgeContext, body: object, schema: { shape: object }): void {
  const names = listNames(Object.keys(readOthers(body, schema)));
  if (names.length > 0) context.header("x-svc-unsupported", names.join(", "));
}

/** Leaves the charge in `x-svc-credits-charged`. Throws GatewayError. */
export async function answerWorldModel<Name extends TaskName>(
  context: EdgeContext,
  task: WorldModelTask<Name>,
): Promise<TaskResponse<Name>> {
  const { services, account, requestId, attempt } = context.var;
  const onCharged = (micro: number) => context.header("x-svc-credits-charged", writeCredits(micro));
  const work = runWorldModel({ ...task, account, requestId, ...attempt, onCharged }, services);
  return outliveClient(context, work);
}
