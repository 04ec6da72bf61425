/** A conversation from its first message on, and the field for the next one. */
import { useEffect, useRef, useState } from "preact/hooks";
import { refreshAccount } from "../api/account.ts";
import { TallBox } from "../components/boxes/scroll-box.tsx";
import { useStore } from "../use-store.ts";
import type { AnswerState } from "./answer-state.ts";
import { AnswerView } from "./answer-view.tsx";
import type { Conversation, Turn } from "./conversation.ts";
import { announcePlan, type PlanUse, readPlanUse } from "./describe-plan.ts";
import { FollowUp } from "./follow-up.tsx";

export function ConversationView({
  conversation,
  title,
  model,
}: {
  conversation: Conversation;
  /** The form's model. */
  model: string;
  title: string | undefined;
}) {
  const { turns, running } = useStore(conversation.state);
  const tools = (conversation.settings?.tools ?? []).map(({ function: { name } }) => name);
  const offered = conversation.settings?.tool_choice === "none" ? 0 : tools.length;
  const plan = readPlanUse(conversation.plan, conversation.messages, offered);
  const last = turns.at(-1);
  const goneOn = useRef(false);
  useEffect(() => {
    if (!running && turns.length > 0) void refreshAccount();
  }, [running]);
  return (
    <section class="conversation" aria-label={title ?? "Conversation"} data-plan={conversation.plan}>
      {title !== undefined && <h2 class="conversation-title">{title}</h2>}
      {turns.map((turn) => (
        <TurnView key={turn.id} turn={turn} tools={tools} plan={plan} />
      ))}
      <Announcer answer={last?.kind === "answer" ? last.answer : undefined} tools={tools} />
      {!running && last?.kind === "answer" && (
        <FollowUp
          conversation={conversation}
          answer={last.answer}
          model={model}
          isReply={turns.length > 2 && turns.at(-2)?.kind === "user"}
          takesFocus={goneOn.current}
          onGoOn={() => {
            goneOn.current = true;
          }}
        />
      )}
    </section>
  );
}

function TurnView({ turn, tools, plan }: { turn: Turn; tools: readonly string[]; plan: PlanUse }) {
  if (turn.kind === "answer") return <AnswerView answer={turn.answer} tools={tools} plan={plan} />;
  if (turn.kind === "user")
    return (
      <TallBox class="said-by-user" label="Your message">
        <span class="visually-hidden">You: </span>
        {turn.text}
      </TallBox>
    );
  return (
    <ul class="results" aria-label="Tool results">
      {turn.results.map(({ call, content }) => (
        <li key={call.id}>
          <code>
            <bdi>{call.function.name}</bdi>
          </code>{" "}
          answered <q dir="auto">{content}</q>
        </li>
      ))}
    </ul>
  );
}

/** Announces the plan and the end to screen readers, not every word: a live region over the text would never be silent. */
function Announcer({ answer, tools }: { answer: AnswerState | undefined; tools: readonly string[] }) {
  const [words, setWords] = useState("");
  const { svc, phase } = answer ?? {};
  const planned = svc !== undefined;
  useEffect(() => {
    if (svc !== undefined && phase === "streaming") setWords(announcePlan(svc, tools));
  }, [planned]);
  useEffect(() => {
    if (phase === "done") setWords("The answer is complete.");
    if (phase === "stopped") setWords("Stopped.");
  }, [phase]);
  return (
    <p class="visually-hidden" role="status">
      {words}
    </p>
  );
}
