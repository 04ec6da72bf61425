/**
 * Meters the provider calls of one request to one model: what was sent, the usage that the provider reported, and our own count of
 * the output. Metering begins before a call is sent, so the request can be settled at any moment: ended calls by their report, open
 * ones by our count.
 */
import {
  billableOutput,
  type ChatEvent,
  type ChatRequest,
  type EventOf,
  type ProviderData,
  type Usage,
} from "../../../shared/chat.ts";
import type { UsageFlag } from "../../../shared/usage-flags.ts";
import { addUsage, isConsistent, settledUsage } from "../../billing/settled-usage.ts";
import type { PriceCard } from "../../catalog/model.ts";
import { isUsed } from "../../dialects/provider/dialect.ts";
import type { CallObserver } from "../../providers/call.ts";
import { refusesRequest } from "../../providers/failure.ts";
import type { CutCall } from "../../providers/late-usage.ts";
import { countQuarters, estimateTokens, listPictures, pictureTokens } from "../tokens/answer-counts.ts";
import { boundOutputTokens } from "../tokens/output-bounds.ts";
import { createPromptCounts, type PromptCounts } from "../tokens/token-bounds.ts";

/** What one call used, as it is priced. */
export type CallUsage = { usage: Usage; flag: UsageFlag | null; reportedCostUsd: number | undefined };

export type UsageMeter = {
  /** Begins to meter a call that is about to be sent. Without a cap, on a caller's key, its output has no bound. */
  open(asked: ChatRequest, outputCap: number | undefined): CallObserver;
  /** To be called when the next model takes over: calls that ended in a provider's error are then charged only if it reported usage. */
  dropFailed(): void;
  /** Whether any call so far may be charged. */
  hasChargeable(): boolean;
  /** Whether a call that may be charged has no final usage yet: it was not ended, or its report is being asked for. */
  isPending(): boolean;
  /** The usage of every call that is charged. */
  list(): CallUsage[];
  /**
   * The open calls without a report for which our count may be far too low (`mayBeUndercounted`). Each is returned once and then
   * counts as cut; `report` adds what the provider says later.
   */
  takeUnreported(): Omit<CutCall, "route">[];
  /** The sum of the providers' reports: what a caller who pays the provider is shown. */
  reported(): Usage | undefined;
};

/** `cut`: ended by us before its report, which is asked for afterwards. */
type CallState = "open" | "cut" | "ended" | "dropped";
type MeteredCall = { asked: ChatRequest; outputCap: number; meter: CallMeter; state: CallState };

type Priced = { model: string; contextWindow: number; thinks?: true; prices?: PriceCard | undefined };

/**
 * Whether a call may have used far more tokens than we count: hidden reasoning, or a prompt or an answer with pictures, documents or
 * dense text. Only then does a cut request stay open to ask the aggregator; any other is settled at once by our count.
 */
const mayBeUndercounted = (
  { thinks }: Priced,
  { asked, meter }: MeteredCall,
  prompts: PromptCounts,
): boolean => thinks === true || prompts.isHard(asked) || meter.isHardToCount();

/** Refused inside a 200 before any output, or ended before it began (a proxy's page, an empty body): as free as a refusal by status. */
const isFree = ({ countedOutput, error, id }: CallMeter): boolean =>
  countedOutput === 0 && error !== undefined && (id === undefined || refusesRequest(error));

/** `heldInput`: input tokens held for each call, with the room for a plan block whether or not one was sent. */
export function createUsageMeter(route: Priced, heldInput: number): UsageMeter {
  const calls: MeteredCall[] = [];
  const prompts = createPromptCounts(route);
  const chargeable = () =>
    calls.filter(
      ({ state, meter }) =>
        (state !== "dropped" && !isFree(meter)) ||
        meter.isBilled ||
        (meter.reported !== undefined && isUsed(meter.reported)),
    );
  return {
    open(asked, outputCap = Number.POSITIVE_INFINITY) {
      const call: MeteredCall = { asked, outputCap, meter: new CallMeter(), state: "open" };
      calls.push(call);
      return {
        named: (id) => call.meter.observe([{ type: "start", id }]),
        observe: (events) => call.meter.observe(events),
        ended: () => {
          call.state = "ended";
        },
        dropped: () => {
          call.state = "dropped";
        },
      };
    },
    dropFailed() {
      for (const call of calls) if (call.meter.error !== undefined) call.state = "dropped";
    },
    hasChargeable: () => chargeable().length > 0,
    isPending: () => chargeable().some(({ state }) => state === "open" || state === "cut"),
    list: () => chargeable().map((call) => readCall(call, route, heldInput, prompts)),
    takeUnreported: () =>
      calls.flatMap((call) => {
        const { state, meter } = call;
        const { id, reported, error } = meter;
        // A provider that reported a failure keeps no record of usage to ask for.
        const isWithoutReport = state === "open" && reported === undefined && error === undefined;
        if (!id || !isWithoutReport || !mayBeUndercounted(route, call, prompts)) return [];
        call.state = "cut";
        return [{ id, report: (usage: Usage) => meter.observe([{ type: "usage", usage }]) }];
      }),
    reported() {
      const reports = chargeable().flatMap(({ meter }) => meter.reported ?? []);
      return reports.length < 2 ? reports[0] : reports.reduce(addUsage);
    },
  };
}

function readCall(call: MeteredCall, route: Priced, heldInput: number, prompts: PromptCounts): CallUsage {
  const { asked, outputCap, meter, state } = call;
  // A cut call without a report: each picture and document counts as its upper bound, a picture's up to fifty times the usual size, so
  // that leaving before the report is never cheaper than waiting for it. If the provider ended the call, the usual size is used: the
  // caller had no such choice. Prices per picture are charged from reported costs only.
  const settled = settledUsage({
    reported: meter.reported && completeReport(meter.reported, call),
    counted: {
      input: prompts.count(asked, state === "cut"),
      output: meter.countedOutput,
      imageOutput: meter.countedPictures,
    },
    bounds: {
      input: Math.max(prompts.bound(asked), heldInput),
      output: boundOutputTokens(outputCap, route),
    },
  });
  return { ...settled, usage: withoutCosts(settled.usage), reportedCostUsd: meter.costUsd };
}

/**
 * The report, plus our count of the output after it: always if the call was cut or failed, else only if that is over twice the reported
 * output (some servers first report the prompt alone). Our count itself may be twice too high (runs of spaces).
 */
function completeReport(reported: Usage, { meter, state }: MeteredCall): Usage {
  // `settledUsage` corrects a report that cannot be true, and flags it; with our count added it might look true.
  if (state === "dropped" || !isConsistent(reported)) return reported;
  if (state !== "ended" || meter.error !== undefined) return addOutput(reported, meter.countedSinceReport);
  const told = billableOutput(reported);
  return meter.countedSinceReport <= 2 * told ? reported : addOutput(reported, meter.countedOutput - told);
}

/** A report with tokens added that were written after it. */
const addOutput = (reported: Usage, tokens: number): Usage =>
  tokens === 0 ? reported : { ...reported, output: reported.output + tokens, total: reported.total + tokens };

const isCost = /^(cost|is_byok)/;

/** Removes what the operator paid, which callers are not shown. */
function withoutCosts({ raw, costUsd: _cost, ...usage }: Usage): Usage {
  if (raw === undefined) return usage;
  const kept: ProviderData = Object.fromEntries(Object.entries(raw).filter(([name]) => !isCost.test(name)));
  return { ...usage, raw: kept };
}

/** What a call has written so far: deltas that carried text, their UTF-16 units, and its pictures as tokens. */
type Written = { deltas: number; chars: number; painted: number };
const nothing: Written = { deltas: 0, chars: 0, painted: 0 };

const tokensBetween = (from: Written, to: Written): number =>
  estimateTokens(to.deltas - from.deltas, to.chars - from.chars) + to.painted - from.painted;

/**
 * An answer is hard to count if its upper estimate is above this multiple of our count: 1.2 for prose, 1.3 for code and 1.7 for JSON, which
 * have at most 1.2 times the tokens that we count (o200k); 3 to 4 for tables and Chinese, which have 2.5 times as many.
 */
const hardFrom = 2;

const hasCounts = ({ input, output, total }: Usage): boolean =>
  [input, output, total].some((count) => count !== 0);

/** What one call has used so far, read from its events as they pass. */
export class CallMeter {
  /**
   * The provider's latest report of tokens. Reports are cumulative: a later one replaces an earlier one, unless it is all zeros. A cost
   * beside zeros says nothing of the tokens.
   */
  reported: Usage | undefined;
  /** The latest cost that was reported, US dollars. */
  costUsd: number | undefined;
  /** The provider's own id of the answer, empty where it named none; undefined until the answer has begun. */
  id: string | undefined;
  error: EventOf<"error"> | undefined;
  readonly #written = { ...nothing };
  #whenReported = nothing;
  #quarters = 0;

  observe(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === "usage") this.#read(event.usage);
      else if (event.type === "start") this.id ||= event.id ?? "";
      else if (event.type === "error") this.error ??= event;
      else this.#count(event);
    }
  }

  /** After a report with counts, one without counts changes only the cost, and one that names no cost either is ignored. */
  #read(usage: Usage): void {
    const isKnown = this.isBilled || (this.reported !== undefined && hasCounts(this.reported));
    if (isKnown && !hasCounts(usage) && (usage.costUsd ?? 0) <= 0) return;
    this.costUsd = usage.costUsd ?? this.costUsd;
    if (this.isBilled && !hasCounts(usage)) return;
    this.reported = usage;
    this.#whenReported = { ...this.#written };
  }

  get isBilled(): boolean {
    return (this.costUsd ?? 0) > 0;
  }

  #count(event: ChatEvent): void {
    const text = readText(event);
    if (text !== "") this.#written.deltas += 1;
    this.#written.chars += text.length;
    this.#written.painted += listPictures(event).length * pictureTokens;
    this.#quarters += countQuarters(text);
  }

  /** Output tokens by our count; at least one for each delta that carried text. */
  get countedOutput(): number {
    return tokensBetween(nothing, this.#written);
  }
  /** How many of these tokens are pictures. */
  get countedPictures(): number {
    return this.#written.painted;
  }
  /** How many of these tokens came after the latest report. */
  get countedSinceReport(): number {
    return tokensBetween(this.#whenReported, this.#written);
  }

  /** Whether the answer may have far more tokens than counted: it has pictures, or text of more than words. */
  isHardToCount(): boolean {
    return this.countedPictures > 0 || this.#quarters > hardFrom * 4 * this.countedOutput;
  }
}

const readText = (event: ChatEvent): string => {
  if (event.type === "text-delta" || event.type === "reasoning-delta" || event.type === "refusal-delta")
    return event.text;
  if (event.type === "tool-call-delta") return event.arguments;
  if (event.type === "redacted-reasoning") return event.data;
  return event.type === "tool-call-start" ? event.name : "";
};
