/**
 * Records provider calls as stages of their request, for traces and metrics: a stage begins and ends with its call.
 * Attributes follow OpenTelemetry's GenAI conventions: counts and ids, no texts.
 */
import type { ChatEvent, Usage } from "../../shared/chat.ts";
import type { Attributes, RequestRecord } from "../telemetry/request-record.ts";
import type { CallContext } from "./call.ts";
import { providers } from "./registry.ts";
import type { Route } from "./resolve-route.ts";

type ObserveCall = CallContext["observeCall"];

/** Observers that also record a stage. A stage that is still open at settlement is ended there. */
export function recordCalls(requestRecord: RequestRecord, route: Route, open: ObserveCall): ObserveCall {
  return (request, maxOutputTokens) => {
    const observer = open(request, maxOutputTokens);
    const attributes: Attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": providers[route.provider].genAiName,
      "gen_ai.request.model": quoteId(route.model, route),
      "gen_ai.request.max_tokens": maxOutputTokens,
      "gen_ai.request.stream": request.stream,
    };
    const stage = requestRecord.begin("provider", attributes, route.provider);
    const isTraced = stage.record.spanId !== undefined;
    return {
      named: observer.named,
      observe(events) {
        stage.first();
        if (isTraced) describeEvents(events, attributes, route);
        observer.observe(events);
      },
      ended() {
        stage.end();
        observer.ended();
      },
      dropped(why) {
        stage.end(why);
        observer.dropped(why);
      },
    };
  };
}

/** Ids in the form that providers use. Other text, or text that contains the key, is not recorded. */
const idShape = /^[\w.:/@+-]{1,128}$/;

const quoteId = (id: string | undefined, { key }: Route): string | undefined =>
  id !== undefined && idShape.test(id) && (key === undefined || !id.includes(key)) ? id : undefined;

function describeEvents(events: readonly ChatEvent[], attributes: Attributes, route: Route): void {
  for (const event of events) {
    if (event.type === "start") {
      attributes["gen_ai.response.id"] ??= quoteId(event.id, route);
      attributes["gen_ai.response.model"] ??= quoteId(event.model, route);
    } else if (event.type === "usage") Object.assign(attributes, describeUsage(event.usage));
    else if (event.type === "finish") attributes["gen_ai.response.finish_reasons"] = [event.reason];
  }
}

const describeUsage = (usage: Usage): Attributes => ({
  "gen_ai.usage.input_tokens": usage.input,
  "gen_ai.usage.output_tokens": usage.output,
  "gen_ai.usage.cache_read.input_tokens": usage.cachedInput,
  "gen_ai.usage.cache_creation.input_tokens": usage.cacheWrite,
  "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
});
