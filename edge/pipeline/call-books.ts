/**
 * Accounts for the provider calls of one request, one page for each: what was sent, the usage that the provider reported, and our own
 * count of the output. A page is opened before its call is sent, so the request can be settled at any moment: ended calls by
 * their report, open ones by our count.
 */
import type { ChatEvent, ChatRequest, EventOf, ProviderData, Usage } from "../../shared/chat.ts";
import type { UsageFlag } from "../../shared/usage-flags.ts";
import { optionalCounts, settledUsage } from "../billing/settled-usage.ts";
import type { PriceCard } from "../catalog/model.ts";
import type { CutCall } from "../providers/ask-generation.ts";
import type { CallPage } from "../providers/call.ts";
import {
  boundOutputTokens,
  countQuarters,
  countTokens,
  createPromptCounts,
  listPictures,
  type PromptCounts,
  pictureTokens,
} from "./token-bounds.ts";

/** What one call used, as it is priced. */
export type CallUsage = { usage: Usage; flag: UsageFlag | null; reportedCostUsd: number | undefined };

export type CallBooks = {
  /** A page for a call that is about to be sent. Without a cap, on a caller's key, its output has no bound. */
  open(asked: ChatRequest, outputCap: number | undefined): CallPage;
  /** To be called when the next model takes over: calls that ended in a provider's error are then charged only if it reported usage. */
  dropFailed(): void;
  /** Whether any call so far may be charged. */
  any(): boolean;
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
type PageState = "open" | "cut" | "ended" | "dropped";
type Page = { asked: ChatRequest; outputCap: number; meter: Meter; state: PageState };

type Priced = { model: string; contextWindow: number; thinks?: true; prices?: PriceCard | undefined };

/**
 * Whether a call may have used far more tokens than we count: hidden reasoning, or a prompt or an answer with pictures, documents or
 * dense text. Only then does a cut request stay open to ask the aggregator; any other is settled at once by our count.
 */
const mayBeUndercounted = ({ thinks }: Priced, { asked, meter }: Page, prompts: PromptCounts): boolean =>
  thinks === true || prompts.isHard(asked) || meter.isHardToCount();

type FailureCode = EventOf<"error">["code"];

/** Codes by which a provider says that it did not process the request. */
const refusals: ReadonlySet<FailureCode | undefined> = new Set<FailureCode>([
  "upstream_rejected",
  "context_length_exceeded",
  "request_too_large",
  "upstream_rate_limited",
  "upstream_overloaded",
]);

/** Refused inside a 200 before any output: as free as a refusal by status. */
const isRefused = (meter: Meter): boolean => meter.countedOutput === 0 && refusals.has(meter.error?.code);

/** `heldInput`: input tokens held for each call, with the room for a plan block whether or not one was sent. */
export function createCallBooks(route: Priced, heldInput: number): CallBooks {
  const pages: Page[] = [];
  const prompts = createPromptCounts(route);
  const owed = () =>
    pages.filter(
      ({ state, meter }) => meter.reported !== undefined || (state !== "dropped" && !isRefused(meter)),
    );
  return {
    open(asked, outputCap = Number.POSITIVE_INFINITY) {
      const page: Page = { asked, outputCap, meter: new Meter(), state: "open" };
      pages.push(page);
      return {
        named: (id) => page.meter.observe([{ type: "start", id }]),
        observe: (events) => page.meter.observe(events),
        ended: () => {
          page.state = "ended";
        },
        dropped: () => {
          page.state = "dropped";
        },
      };
    },
    dropFailed() {
      for (const page of pages) if (page.meter.error !== undefined) page.state = "dropped";
    },
    any: () => owed().length > 0,
    list: () => owed().map((page) => readPage(page, route, heldInput, prompts)),
    takeUnreported: () =>
      pages.flatMap((page) => {
        const { state, meter } = page;
        const { id, reported, error } = meter;
        // A provider that reported a failure keeps no record of usage to ask for.
        const isWithoutReport = state === "open" && reported === undefined && error === undefined;
        if (id === undefined || !isWithoutReport || !mayBeUndercounted(route, page, prompts)) return [];
        page.state = "cut";
        return [{ id, report: (usage: Usage) => meter.observe([{ type: "usage", usage }]) }];
      }),
    reported() {
      const reports = owed().flatMap(({ meter }) => meter.reported ?? []);
      return reports.length < 2 ? reports[0] : reports.reduce(addUsage);
    },
  };
}

function readPage(
  { asked, outputCap, meter, state }: Page,
  route: Priced,
  heldInput: number,
  prompts: PromptCounts,
): CallUsage {
  const reported = meter.reported;
  // A final report stands as it is. To an earlier one our count of what came after it is added.
  const whole = state === "dropped" || (state === "ended" && meter.error === undefined);
  // A cut call without a report: each picture counts as its upper bound, up to fifty times the usual size, so that leaving before
  // the report is never cheaper than waiting for it. If the provider ended the call, the usual size is used: the caller had no such
  // choice. Prices per picture are charged from reported costs only.
  const settled = settledUsage({
    reported: reported === undefined || whole ? reported : addOutput(reported, meter.countedSinceReport),
    counted: {
      input: prompts.count(asked, state === "cut"),
      output: meter.countedOutput,
      imageOutput: meter.countedPictures,
    },
    bounds: {
      input: Math.max(prompts.bound(asked), heldInput),
      output: boundOutputTokens(outputCap, route.prices),
    },
  });
  return { ...settled, usage: withoutCosts(settled.usage), reportedCostUsd: reported?.costUsd };
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

/** What one call has used so far, read from its events as they pass. */
export class Meter {
  /** The provider's latest report. Reports are cumulative: a later one replaces an earlier one. */
  reported: Usage | undefined;
  /** Output tokens by our count; at least one for each delta that carried text. */
  countedOutput = 0;
  /** How many of these tokens are pictures. */
  countedPictures = 0;
  /** How many of these tokens came after the latest report. */
  countedSinceReport = 0;
  /** The provider's own id of the answer. */
  id: string | undefined;
  error: EventOf<"error"> | undefined;
  #quarters = 0;

  observe(events: readonly ChatEvent[]): void {
    for (const event of events) {
      if (event.type === "usage") {
        this.reported = event.usage;
        this.countedSinceReport = 0;
      } else if (event.type === "start") this.id ??= event.id;
      else if (event.type === "error") this.error ??= event;
      else this.#count(event);
    }
  }

  #count(event: ChatEvent): void {
    const text = written(event);
    const painted = listPictures(event).length * pictureTokens;
    const tokens = painted + countTokens(text);
    this.countedOutput += tokens;
    this.countedSinceReport += tokens;
    this.countedPictures += painted;
    this.#quarters += countQuarters(text);
  }

  /** Whether the answer may have far more tokens than counted: it has pictures, or text that may have over twice as many. */
  isHardToCount(): boolean {
    return this.countedPictures > 0 || this.#quarters > 2 * 4 * this.countedOutput;
  }
}

const written = (event: ChatEvent): string => {
  if (event.type === "text-delta" || event.type === "reasoning-delta" || event.type === "refusal-delta")
    return event.text;
  if (event.type === "tool-call-delta") return event.arguments;
  if (event.type === "redacted-reasoning") return event.data;
  return event.type === "tool-call-start" ? event.name : "";
};

/** The sum of two reports: an answer made of several calls (n > 1, the agent loop). */
export function addUsage(left: Usage, right: Usage): Usage {
  const sum: Usage = {
    input: left.input + right.input,
    output: left.output + right.output,
    total: left.total + right.total,
    cachedInput: left.cachedInput + right.cachedInput,
    cacheWrite: left.cacheWrite + right.cacheWrite,
    reasoning: left.reasoning + right.reasoning,
  };
  for (const key of optionalCounts) {
    if (left[key] !== undefined || right[key] !== undefined) sum[key] = (left[key] ?? 0) + (right[key] ?? 0);
  }
  return sum;
}
