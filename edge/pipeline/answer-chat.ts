/**
 * The life of a chat request, in order, and nothing else: resolve -> plan beside reserve -> call -> events
 * -> settle once. Dialect-free: routes decode the request before and encode the events after.
 */
import type { ChatEvent, ChatRequest, DialectName, Usage } from "../../shared/chat.ts";
import type { PlanResponse } from "../../shared/planning.ts";
import { reserve, type Settlement, settle } from "../billing/ledger.ts";
import type { Account } from "../db/api-keys.ts";
import { boundPlanningTokens, buildPlanRequest } from "../planning/plan-request.ts";
import { completeMetadata, describePlan, type SvcMetadata } from "../planning/svc-metadata.ts";
import { type ProviderKeys, providers } from "../providers/registry.ts";
import { createMeter } from "../stream/meter.ts";
import { openBill, type Settled } from "./bill.ts";
import { priceOfSize, refuseReservation } from "./charges.ts";
import { chooseRoute } from "./choose-route.ts";
import { execute } from "./execute.ts";
import type { Services } from "./services.ts";

export type ChatInput = {
  request: ChatRequest;
  /** As the caller wrote it: `svc-x1ac-{size}-{llm}`. */
  modelName: string;
  options: { planBlock: boolean; maxLlmCalls: number };
  account: Account;
  inlineKeys: ProviderKeys;
  requestId: string;
  /** What this request reserves under: ours, and new for each run. */
  holdId: string;
  /** Aborted when the client leaves. */
  clientSignal: AbortSignal;
};

export type Receipt = { chargedMicro: number; usage: Usage | undefined; metadata: SvcMetadata };

export type ChatAnswer = {
  /** What is known before the LLM writes: the first chunk of a stream. */
  metadata: SvcMetadata;
  unsupported: string[];
  /** The provider's: what is passed on as it came to a caller who speaks the same. */
  dialect: DialectName;
  /** Batches of events, metered as they pass. Never throws; an `error` event is the last. */
  events: AsyncGenerator<ChatEvent[], void, void>;
  /** Settles what was used; the same receipt however often it is called. */
  finish: () => Promise<Receipt>;
};

type Outcome = Settlement["outcome"];

/** Throws GatewayError for everything that can still be an HTTP status. */
export async function answerChat(input: ChatInput, services: Services): Promise<ChatAnswer> {
  const { request, account, options, holdId } = input;
  const { now } = services;
  const catalog = await services.catalog();
  const { size, llm } = catalog.resolveModel(input.modelName);
  const route = await chooseRoute(llm, input, services);
  const planRequest = buildPlanRequest(request, size);
  const planningPriceMicro = priceOfSize(size);
  const bill = openBill({
    request,
    route,
    planningPriceMicro,
    planningTokenBound: boundPlanningTokens(planRequest),
    maxLlmCalls: options.maxLlmCalls,
  });

  const abort = new AbortController();
  const signal = AbortSignal.any([input.clientSignal, abort.signal]);
  const planning = services.gpuWorkers.run("plan", planRequest, {
    signal,
    requestId: input.requestId,
    accountId: account.accountId,
  });
  // Its failure is looked at after the reservation, which decides first.
  planning.catch(() => {});
  const reservation = await reserve(services.database, {
    holdId,
    accountId: account.accountId,
    apiKeyId: account.keyId,
    tokenId: account.tokenId,
    amountMicro: bill.holdMicro,
    now: now(),
  }).catch((error: unknown) => {
    abort.abort();
    throw error;
  });
  if (!reservation.granted) {
    abort.abort();
    throw refuseReservation(bill.holdMicro, reservation, "lower max_tokens or send your own provider key");
  }

  const meter = createMeter();
  const progress = { planningTokens: 0, sent: false };
  const startedAt = now();
  let receipt: Promise<Receipt> | undefined;
  let metadata: SvcMetadata | undefined;
  let describeEnd: (metadata: SvcMetadata) => SvcMetadata = (known) => known;

  const write = async (outcome: Outcome, charged: Settled): Promise<Receipt> => {
    const reported = meter.reported();
    await settle(services.database, {
      holdId,
      accountId: account.accountId,
      apiKeyId: account.keyId,
      requestId: input.requestId,
      model: input.modelName,
      executionLlm: route.model,
      provider: route.provider,
      keySource: route.keySource,
      markup: bill.markup,
      chargeMicro: charged.chargeMicro,
      planningTokens: progress.planningTokens,
      ...(charged.usage !== undefined && { usage: charged.usage }),
      prices: {
        planningMicroPerMillion: planningPriceMicro,
        ...(route.prices !== undefined && { llm: route.prices }),
      },
      outcome,
      flag: charged.flag,
      now: now(),
    });
    return {
      chargedMicro: charged.chargeMicro,
      usage: reported ?? charged.usage,
      metadata: describeEnd(metadata!),
    };
  };
  const settleOnce = (outcome: Outcome, charged: Settled): Promise<Receipt> => {
    receipt ??= write(outcome, charged).finally(() => abort.abort());
    return receipt;
  };
  const finish = (): Promise<Receipt> => {
    // The body's cancel may come before the signal: an answer without end or error was left.
    const cut = meter.error() === undefined || input.clientSignal.aborted;
    const left = cut && meter.finishReason() === undefined;
    const outcome = left ? "client_left" : meter.error() === undefined ? "completed" : "error";
    return settleOnce(
      outcome,
      bill.settle({ ...progress, reported: meter.reported(), countedOutput: meter.countedOutput() }),
    );
  };
  // A client that leaves: the provider is aborted through `signal`, what was produced is settled.
  input.clientSignal.addEventListener("abort", () => services.waitUntil(finish().catch(() => {})), {
    once: true,
  });

  let plan: PlanResponse;
  try {
    plan = await planning;
    progress.planningTokens = plan.tokens;
    metadata = describePlan(plan, {
      size,
      executionLlm: route.model,
      keySource: route.keySource,
      markup: bill.markup,
      history: planRequest.history,
    });
    progress.sent = true;
    const known = metadata;
    const run = await execute(
      {
        request,
        plan,
        planRequest,
        route,
        bill,
        options,
        requestId: input.requestId,
        accountId: account.accountId,
        signal,
        onReplan: (tokens) => {
          progress.planningTokens += tokens;
        },
      },
      services,
    );
    describeEnd = () =>
      completeMetadata(known, {
        executionMs: now() - startedAt,
        llmCalls: run.llmCalls(),
        trace: run.trace(),
      });
    const { dialect } = providers[route.provider];
    return {
      metadata: known,
      unsupported: run.unsupported,
      dialect: dialect.name,
      events: metered(run.events),
      finish,
    };
  } catch (error) {
    // Refused before an answer: nothing is charged, unless the client left after the prompt was sent.
    if (input.clientSignal.aborted) await finish();
    else await settleOnce("error", { chargeMicro: 0, usage: undefined, flag: null });
    throw error;
  }

  async function* metered(events: AsyncGenerator<ChatEvent[], void, void>): ChatAnswer["events"] {
    for await (const batch of events) {
      meter.observe(batch);
      yield batch;
    }
  }
}
