/** What is read of a request with tools: its conversation, and the texts that the encoder gets of it. */
import type { PlanRequest } from "../../../shared/planning.ts";
import type { TextToEncode } from "../../world-model/encoder.ts";
import type { HeadSettings } from "../../world-model/heads.ts";
import { toolText } from "../../world-model/text-templates.ts";
import { splitGoal } from "../message/goal-text.ts";
import {
  clipEvent,
  eventTokens,
  type KeptEvent,
  keepEvents,
  readEvents,
  type SessionEvent,
} from "./events.ts";
import { withReply } from "./replies.ts";

export type SessionDraft = {
  request: PlanRequest;
  events: SessionEvent[];
  kept: KeptEvent[];
  /** The last user message, and its parts. */
  goal: string;
  parts: string[];
  /** The kept events with a text of their own: all but the goal, and calls of the caller's tools, which get those tools' vectors. */
  others: SessionEvent[];
  /** Of the goal, its parts, the other events and the tools, in this order. */
  texts: TextToEncode[];
};

/** `toolTokens`, `goalTokens`: as the checkpoint has them. */
export function draftSession(
  asked: PlanRequest,
  { goalTokens, toolTokens }: Pick<HeadSettings, "goalTokens" | "toolTokens">,
): SessionDraft {
  const request = withReply(asked);
  const events = readEvents(request);
  const kept = keepEvents(events);
  const goal = kept.find(({ isGoal }) => isGoal)?.event.text ?? "";
  const parts = splitGoal(goal);
  const names = new Set(request.tools.map(({ name }) => name));
  const others = kept.flatMap(({ event, isGoal }) =>
    isGoal || (event.kind === "call" && names.has(event.text)) ? [] : [event],
  );
  const owner = request.share;
  const said = (text: string, maxTokens: number): TextToEncode => {
    return { text: text || " ", keep: "start", remember: "session", owner, maxTokens };
  };
  const texts = [
    said(goal, goalTokens),
    ...parts.map((part) => said(part, goalTokens)),
    ...others.map(({ kind, text }) =>
      kind === "call"
        ? said(toolText({ name: text, description: "" }), toolTokens)
        : said(clipEvent(text), eventTokens),
    ),
    ...request.tools.map((tool): TextToEncode => {
      return { text: toolText(tool), keep: "start", remember: "lasting", owner, maxTokens: toolTokens };
    }),
  ];
  return { request, events, kept, goal, parts, others, texts };
}
