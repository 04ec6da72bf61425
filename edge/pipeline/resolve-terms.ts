/** The first step of a chat request: which model, whose key, what the world model is asked, what it may cost. */
import type { ModelSize, PlanRequest } from "../../shared/planning.ts";
import { boundPlanningTokens, buildPlanRequest } from "../planning/plan-request.ts";
import type { Route } from "../providers/route.ts";
import { type Bill, openBill } from "./bill.ts";
import { priceOfSize } from "./charges.ts";
import type { ChatInput } from "./chat-input.ts";
import { chooseRoute } from "./choose-route.ts";
import { limitToPool, type PoolRequest } from "./pool-fields.ts";
import type { Services } from "./services.ts";

export type RequestTerms = PoolRequest & {
  size: ModelSize;
  route: Route;
  planRequest: PlanRequest;
  planningPriceMicro: number;
  bill: Bill;
};

/** Throws model_not_found, missing_provider_key, stored_key_unreadable, world_model_not_loaded. */
export async function resolveTerms(input: ChatInput, services: Services): Promise<RequestTerms> {
  const { size, llm } = (await services.catalog()).resolveModel(input.modelName);
  const route = await chooseRoute(llm, input, services);
  const limited =
    route.keySource === "pool" ? limitToPool(input.request) : { request: input.request, unsupported: [] };
  const planRequest = buildPlanRequest(limited.request, size);
  const planningPriceMicro = priceOfSize(size);
  const bill = openBill({
    request: limited.request,
    route,
    planningPriceMicro,
    planningTokenBound: boundPlanningTokens(planRequest),
    ...input.options,
  });
  return { ...limited, size, route, planRequest, planningPriceMicro, bill };
}
