/**
 * The stages of a chat request, in order: resolve terms, plan while the hold is taken, call the provider, pass its events on,
 * settle once. Knows no dialect: routes read the request before and write the events after.
 */
import type { ChatEvent, DialectName } from "../../shared/chat.ts";
import type { Service, SvcMetadata } from "../planning/svc-metadata.ts";
import { Refused } from "../providers/refusal.ts";
import { providers } from "../providers/registry.ts";
import { createPump, type Room } from "../stream/pump.ts";
import type { ExecutionRun } from "./agent-loop.ts";
import type { ChatInput } from "./chat-input.ts";
import { executeFirst } from "./execute.ts";
import type { Receipt } from "./money/settlement.ts";
import { type RequestTerms, resolveTerms } from "./resolve-terms.ts";
import { RunningRequest } from "./running-request.ts";
import type { Services } from "./services.ts";
import { countChars } from "./tokens/answer-counts.ts";

export type ChatAnswer = {
  /** The metadata known before the LLM writes, for a stream's first chunk. Undefined while the plan is being made. */
  metadata: () => SvcMetadata | undefined;
  /** Resolves when `metadata` has the plan, or when planning has failed. */
  planned: Promise<void>;
  /** The model that answers, and who pays for it. */
  service: Service;
  unsupported: string[];
  /** The provider's dialect: a caller of the same one gets some parts of the answer unchanged. */
  dialect: DialectName;
  /** Batches of events, counted as they arrive. Never throws; an `error` event is the last. */
  events: AsyncGenerator<ChatEvent[], void, void>;
  /** Settles what was used; the same receipt however often it is called. */
  finish: () => Promise<Receipt>;
  /** As `finish`, for an answer that ended with an error: the caller does not wait for late usage reports. */
  finishFailed: () => Promise<Receipt | undefined>;
};

/** Throws GatewayError for everything that can still be an HTTP status. */
export async function answerChat(input: ChatInput, services: Services): Promise<ChatAnswer> {
  const terms = await resolveTerms(input, services);
  const running = new RunningRequest(input, terms, services);
  const makePlan = () => running.plans.make(terms.planRequest);
  const planning = input.admission.mayPlanAhead ? makePlan() : undefined;
  // A failed plan is reported after the hold is taken: a refused hold comes first.
  planning?.catch(() => {});
  await running.reserve();
  try {
    const plan = await running.takePlan(planning ?? makePlan(), waitsForPlan(input, terms, services));
    const execution = await executeFirst({ input, terms, plan, running }, services);
    running.execution = execution;
    const { route } = running.candidate;
    return {
      metadata: () => running.describe(),
      planned: running.planned,
      service: running.service,
      unsupported: listUnsupported(running, execution),
      dialect: providers[route.provider].dialect.name,
      events: countEvents(execution, running, input, services),
      finish: () => running.finish(),
      finishFailed: () => running.finishFailed(),
    };
  } catch (error) {
    await running.fail();
    if (error instanceof Refused) error.unsupported = listUnsupported(running, error);
    throw running.expired ?? error;
  }
}

/** What the pool has left out of the caller's request, and then its provider. */
const listUnsupported = ({ candidate }: RunningRequest, { unsupported }: Pick<Refused, "unsupported">) => [
  ...new Set([...candidate.unsupported, ...unsupported]),
];

/**
 * Whether the provider is called only after the plan is made: if the plan goes into the prompt, or if no plan of this size was made lately,
 * since a size that is not loaded has to be an HTTP error. Otherwise the plan joins the answer later.
 */
const waitsForPlan = ({ options }: ChatInput, { size }: RequestTerms, { gpuWorkers }: Services): boolean =>
  options.planBlock || options.maxLlmCalls > 1 || !gpuWorkers.serves(size);

/** How much of an answer is queued for a slow reader. On a caller's own key a full queue slows the provider down. */
const maxQueuedChars = 64 * 1_024;
/** The same on the pool, where the provider's stream is read at its own speed, while there is memory for it. */
const maxPooledChars = 1_024 * 1_024;
/** Events take more memory than their texts, and some texts two bytes for each character. */
const bytesPerChar = 1.5;

function countEvents(
  { events }: ExecutionRun,
  running: RunningRequest,
  input: ChatInput,
  services: Services,
): ChatAnswer["events"] {
  const { requestLimits, waitUntil } = services;
  const pooled = running.candidate.route.keySource === "pool";
  const pump = createPump(events, {
    observe: (batch) => running.observe(batch),
    onEnd: () => waitUntil(running.finish().catch(() => {})),
    sizeOf: countChars,
    maxWaiting: maxQueuedChars,
    extend: pooled ? () => claimQueue(input, services) : undefined,
    patienceMs: pooled ? requestLimits.patienceMs : undefined,
    stalled: [stalledEvent],
    signal: running.signal,
  });
  running.onExpire = ({ message }) => pump.cut([{ type: "error", code: "upstream_timeout", message }]);
  return pump.pieces;
}

/** Memory for a long queue: those of two accounts' readers, who took nothing, filled the isolate, which ended every stream in it. */
async function claimQueue(input: ChatInput, services: Services): Promise<Room | undefined> {
  const { account, claimant: request, clientSignal } = input;
  if (clientSignal.aborted) return undefined;
  const bytes = maxPooledChars * bytesPerChar;
  const wanted = { owner: account.accountId, request, bytes, isOptional: true };
  const claim = await services.memory.claim(wanted, 0, services);
  if (claim === undefined) return undefined;
  clientSignal.addEventListener("abort", () => claim.end(), { once: true });
  return { maxWaiting: maxPooledChars, end: claim.end };
}

const stalledEvent: ChatEvent = {
  type: "error",
  code: "upstream_truncated",
  message:
    "The answer was written, and charged, while nobody read it; retry the request and read it as it comes.",
};
