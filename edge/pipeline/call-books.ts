/**
 * The books of one request's provider calls, a page for each: what was sent, what arrived, what the provider
 * reported. Every call that was sent is on a page before its first byte, so whoever ends the request, and whenever,
 * settles ended calls by their report and open ones by our count.
 */
import type { ChatRequest, ProviderData, Usage } from "../../shared/chat.ts";
import { settledUsage, type UsageFlag } from "../billing/settled-usage.ts";
import type { CallPage } from "../providers/call.ts";
import { addUsage, createMeter, type Meter } from "../stream/meter.ts";
import { boundInputTokens, countInputTokens } from "./token-bounds.ts";

/** What one call used, as it is priced. */
export type CallUsage = { usage: Usage; flag: UsageFlag | null; reportedCostUsd: number | undefined };

export type CallBooks = {
  /** A page for a call that is about to be sent. Without a cap, on a caller's key, its output has no bound. */
  open(asked: ChatRequest, outputCap: number | undefined): CallPage;
  /** Another model takes over: for calls whose provider said that it failed only what it reported is owed. */
  dropFailed(): void;
  /** True once a provider may have taken something. */
  any(): boolean;
  /** Every call that is owed for. */
  list(): CallUsage[];
  /** Calls that were cut before the provider's report, by its id of the answer; `report` makes up for it. */
  unreported(): { id: string; report(usage: Usage): void }[];
  /** As the providers told it, summed: what a caller who pays them himself is shown. */
  reported(): Usage | undefined;
};

type Page = { asked: ChatRequest; outputCap: number; meter: Meter; state: "open" | "ended" | "dropped" };

type Priced = { model: string; contextWindow: number };

/** `heldInput`: input tokens held for each call, with the room for a plan block whether or not one was sent. */
export function createCallBooks(route: Priced, heldInput: number): CallBooks {
  const pages: Page[] = [];
  const owed = () =>
    pages.filter(({ state, meter }) => state !== "dropped" || meter.reported() !== undefined);
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
    unreported: () =>
      pages.flatMap(({ state, meter }) => {
        const id = meter.id();
        if (state !== "open" || id === undefined || meter.reported() !== undefined) return [];
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
  const whole = state === "dropped" || (state === "ended" && meter.error() === undefined);
  const settled = settledUsage({
    reported: reported === undefined || whole ? reported : addOutput(reported, meter.countedSinceReport()),
    counted: { input: countInputTokens(asked, route), output: meter.countedOutput() },
    bounds: { input: Math.max(boundInputTokens(asked, route), heldInput), output: outputCap },
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
