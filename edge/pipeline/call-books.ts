/**
 * The books of one request's provider calls, a page for each: what was sent, what the provider reported, and our own
 * count of the output. A page is opened before its call is sent, so the request can be settled at any moment: ended calls
 * by their report, open ones by our count.
 */
import type { ChatEvent, ChatRequest, ImagePart, ProviderData, Usage } from "../../shared/chat.ts";
import type { UsageFlag } from "../../shared/usage-flags.ts";
import { optionalCounts, settledUsage } from "../billing/settled-usage.ts";
import type { PriceCard } from "../catalog/model.ts";
import type { CutCall } from "../providers/ask-generation.ts";
import type { CallPage } from "../providers/call.ts";
import { boundImageTokens } from "./image-bounds.ts";
import { listPictures } from "./list-pictures.ts";
import { boundInputTokens, boundOutputTokens, countInputTokens, isHardToCount } from "./token-bounds.ts";

/** What one call used, as it is priced. */
export type CallUsage = { usage: Usage; flag: UsageFlag | null; reportedCostUsd: number | undefined };

export type CallBooks = {
  /** A page for a call that is about to be sent. Without a cap, on a caller's key, its output has no bound. */
  open(asked: ChatRequest, outputCap: number | undefined): CallPage;
  /** Another model takes over. Of calls that failed by their provider's own word, only reported usage is charged. */
  dropFailed(): void;
  /** True once a provider may have taken something. */
  any(): boolean;
  /** Every call that is to be paid. */
  list(): CallUsage[];
  /**
   * Open calls without a report whose words may be a small part of what they used. Each is given once, and counts as cut until
   * `report` brings what the provider says later.
   */
  takeUnreported(): Omit<CutCall, "route">[];
  /** As the providers told it, summed: what a caller who pays them himself is shown. */
  reported(): Usage | undefined;
};

/** `cut`: ended by us before its report, which is asked for afterwards. */
type PageState = "open" | "cut" | "ended" | "dropped";
type Page = { asked: ChatRequest; outputCap: number; meter: Meter; state: PageState };

type Priced = { model: string; contextWindow: number; thinks?: true; prices?: PriceCard | undefined };

/**
 * Whether our count of a call's words may be far below what it used: hidden thoughts, and prompts of more than words. Only for
 * these, and for answers of more than words, is a request kept open to ask what was used; any other settles when its caller leaves.
 */
const usesBesideWords = ({ thinks }: Priced, asked: ChatRequest): boolean =>
  thinks === true || isHardToCount(asked);

type FailureCode = Extract<ChatEvent, { type: "error" }>["code"];

/** By these a provider says that it has not taken the request. */
const refusals: ReadonlySet<FailureCode | undefined> = new Set<FailureCode>([
  "upstream_rejected",
  "request_too_large",
  "upstream_rate_limited",
  "upstream_overloaded",
]);

/** Refused inside a 200, before anything was written: as free as by a status of its own. */
const isRefused = (meter: Meter): boolean => meter.countedOutput() === 0 && refusals.has(meter.error()?.code);

/** `heldInput`: input tokens held for each call, with the room for a plan block whether or not one was sent. */
export function createCallBooks(route: Priced, heldInput: number): CallBooks {
  const pages: Page[] = [];
  const owed = () =>
    pages.filter(
      ({ state, meter }) => meter.reported() !== undefined || (state !== "dropped" && !isRefused(meter)),
    );
  return {
    open(asked, outputCap = Number.POSITIVE_INFINITY) {
      const page: Page = { asked, outputCap, meter: createMeter(), state: "open" };
      pages.push(page);
      return {
        named: (id) => page.meter.observe([{ type: "start", id }]),
        observe: page.meter.observe,
        ended: () => {
          page.state = "ended";
        },
        dropped: () => {
          page.state = "dropped";
        },
      };
    },
    dropFailed() {
      for (const page of pages) if (page.meter.error() !== undefined) page.state = "dropped";
    },
    any: () => owed().length > 0,
    list: () => owed().map((page) => readPage(page, route, heldInput)),
    takeUnreported: () =>
      pages.flatMap((page) => {
        const { asked, state, meter } = page;
        const id = meter.id();
        if (state !== "open" || id === undefined || meter.reported() !== undefined) return [];
        // The provider says that it failed: it has written nothing down that is owed.
        if (meter.error() !== undefined) return [];
        if (!usesBesideWords(route, asked) && !meter.isHardToCount()) return [];
        page.state = "cut";
        return [{ id, report: (usage: Usage) => meter.observe([{ type: "usage", usage }]) }];
      }),
    reported() {
      const reports = owed().flatMap(({ meter }) => meter.reported() ?? []);
      return reports.length < 2 ? reports[0] : reports.reduce(addUsage);
    },
  };
}

function readPage({ asked, outputCap, meter, state }: Page, route: Priced, heldInput: number): CallUsage {
  const reported = meter.reported();
  // The report stands as it is; else what was written after it is added by our count.
  const whole = state === "dropped" || (state === "ended" && meter.error() === undefined);
  // Without a report a picture of a cut call counts as the most that one can be, up to fifty times the usual: else leaving before
  // the report would be cheaper than waiting for it. Where the provider ended the call, the caller had no such choice. A price
  // for each picture is in the report's cost only.
  const image = state === "cut" ? (part: ImagePart) => boundImageTokens(route.model, part) : undefined;
  const settled = settledUsage({
    reported: reported === undefined || whole ? reported : addOutput(reported, meter.countedSinceReport()),
    counted: {
      input: countInputTokens(asked, route, image),
      output: meter.countedOutput(),
      imageOutput: meter.countedPictures(),
    },
    bounds: {
      input: Math.max(boundInputTokens(asked, route), heldInput),
      output: boundOutputTokens(outputCap, route.prices),
    },
  });
  return { ...settled, usage: withoutCosts(settled.usage), reportedCostUsd: reported?.costUsd };
}

/** What was written after a report that was not the last. */
const addOutput = (reported: Usage, tokens: number): Usage =>
  tokens === 0 ? reported : { ...reported, output: reported.output + tokens, total: reported.total + tokens };

const isCost = /^(cost|is_byok)/;

/** What the operator pays is not the caller's to read. */
function withoutCosts({ raw, costUsd: _cost, ...usage }: Usage): Usage {
  if (raw === undefined) return usage;
  const kept: ProviderData = Object.fromEntries(Object.entries(raw).filter(([name]) => !isCost.test(name)));
  return { ...usage, raw: kept };
}

/** What one call has used so far, read from its events as they pass. */
type Meter = {
  observe(events: readonly ChatEvent[]): void;
  /** The provider's latest report. */
  reported(): Usage | undefined;
  /** Output tokens by our count; never less than the number of deltas that carried text. */
  countedOutput(): number;
  /** Of these, what is pictures. */
  countedPictures(): number;
  /** Of these, what came after the latest report. */
  countedSinceReport(): number;
  /** Whether the answer may have far more tokens than that: pictures, and texts that may have twice as many. */
  isHardToCount(): boolean;
  /** The provider's own id of the answer. */
  id(): string | undefined;
  error(): Extract<ChatEvent, { type: "error" }> | undefined;
};

/** Rough tokens of a text: four UTF-16 units each, at least one. Only for what no provider reported. */
export const countTokens = (text: string): number =>
  text === "" ? 0 : Math.max(1, Math.ceil(text.length / 4));

const written = (event: ChatEvent): string => {
  if (event.type === "text-delta" || event.type === "reasoning-delta" || event.type === "refusal-delta")
    return event.text;
  if (event.type === "tool-call-delta") return event.arguments;
  if (event.type === "redacted-reasoning") return event.data;
  return event.type === "tool-call-start" ? event.name : "";
};

/** Output tokens counted for a picture when no usage was reported: Gemini's, the most common, are 1,290 tokens. */
const pictureTokens = 1_290;

const isLetter = (unit: number): boolean => unit >= 97 && unit <= 122;
const isDigitOrCapital = (unit: number): boolean => (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90);

/**
 * Most tokens that a text is likely to have, in quarters: English at four letters a token, signs at two, digits, capitals and other scripts at
 * one. A delta of many such characters, as some hosts send them, is a fraction of this by `countTokens`.
 */
function countQuarters(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 126 || isDigitOrCapital(unit)) quarters += 4;
    else quarters += unit <= 32 || isLetter(unit) ? 1 : 2;
  }
  return quarters;
}

/** A meter for one call. Later usage reports replace earlier ones: they are cumulative. */
export function createMeter(): Meter {
  let usage: Usage | undefined;
  let output = 0;
  let pictures = 0;
  let quarters = 0;
  let sinceReport = 0;
  let id: string | undefined;
  let failure: Extract<ChatEvent, { type: "error" }> | undefined;
  return {
    observe(events) {
      for (const event of events) {
        if (event.type === "usage") {
          usage = event.usage;
          sinceReport = 0;
        } else if (event.type === "start") id ??= event.id;
        else if (event.type === "error") failure ??= event;
        else {
          const text = written(event);
          const painted = listPictures(event).length * pictureTokens;
          const tokens = painted + countTokens(text);
          output += tokens;
          sinceReport += tokens;
          pictures += painted;
          quarters += countQuarters(text);
        }
      }
    },
    reported: () => usage,
    countedOutput: () => output,
    countedPictures: () => pictures,
    countedSinceReport: () => sinceReport,
    isHardToCount: () => pictures > 0 || quarters > 2 * 4 * output,
    id: () => id,
    error: () => failure,
  };
}

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
