/** POST /v1/rollout: the predicted effect of a sequence of actions, planned or given. Nothing is executed. */
import { z } from "zod";
import { GatewayError } from "../../shared/errors.ts";
import { maxPlanSteps } from "../../shared/planning.ts";
import { GivenActions } from "../../shared/rollout.ts";
import { writeModelName } from "../catalog/model-name.ts";
import { authenticateFor } from "../middleware/authenticate.ts";
import { createHandlers } from "../middleware/context.ts";
import { idempotency } from "../middleware/idempotency.ts";
import { limitConcurrency } from "../middleware/limit-concurrency.ts";
import { permitModel } from "../middleware/permit-models.ts";
import { jsonBody, validateJson } from "../middleware/request-body.ts";
import { boundTextTokens } from "../pipeline/tokens/planning-bounds.ts";
import { cutRollout } from "../planning/plan-request.ts";
import { describeRollout } from "../planning/rollout-prediction.ts";
import { answerWorldModel, nameUnknownFields } from "./answer-world-model.ts";

export const RolloutBody = z.looseObject({
  goal: z.string().min(1),
  max_steps: z.int().min(1).max(maxPlanSteps).nullish(),
  actions: GivenActions.nullish(),
  return_intermediate: z.boolean().nullish(),
  initial_state: z.string().nullish(),
  /** Accepted with any value, and has no effect. */
  mode: z.string().nullish(),
});

/** The interface has no model field for rollouts, so this is the size that every deployment loads. */
const size = "base";
const defaultSteps = 5;
/** Bound of the neutral state's text, which a rollout without `initial_state` reads in addition to the goal. */
const neutralStateTokens = 256;

export const rollout = createHandlers(
  authenticateFor("rollout"),
  limitConcurrency,
  jsonBody,
  validateJson(RolloutBody),
  permitModel(writeModelName(size)),
  idempotency,
  async (context) => {
    const { services } = context.var;
    const body = context.req.valid("json");
    const { goal, max_steps: maxSteps, actions, initial_state: initialState } = body;
    if (body.return_intermediate === false) {
      throw new GatewayError(
        "intermediate_results_required",
        "return_intermediate: false is not supported; leave it out or send true.",
        { param: "return_intermediate" },
      );
    }
    nameUnknownFields(context, body, RolloutBody);
    const read = cutRollout(goal, initialState ?? undefined);
    const answer = await answerWorldModel(context, {
      task: "rollout",
      request: {
        size,
        goal: read.goal,
        maxSteps: maxSteps ?? defaultSteps,
        ...(read.state !== undefined && { initialState: read.state }),
        ...(actions != null && { actions }),
      },
      tokenBound: boundTextTokens([read.goal, read.state ?? ""]) + neutralStateTokens,
      model: writeModelName(size),
    });
    const created = Math.floor(services.now() / 1000);
    const said = read.state === undefined ? answer : { ...answer, initialState: initialState! };
    return context.json(describeRollout(said, { id: context.var.attempt.holdId, created, goal }));
  },
);
