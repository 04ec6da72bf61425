/** The first page: a request on the left, its answers on the right. */
import { useMemo, useRef, useState } from "preact/hooks";
import { defaultModel } from "../api/model-names.ts";
import { useScrollIntoView } from "../components/boxes/use-scroll-into-view.ts";
import { FormSide } from "../components/caller/form-side.tsx";
import { focusKeyField } from "../components/caller/key-panel.tsx";
import { caller, signInFirst } from "../session.ts";
import { useStore } from "../use-store.ts";
import { Conversation } from "./conversation.ts";
import { ConversationView } from "./conversation-view.tsx";
import { type Draft, emptyParameters, openingMessages, readSettings } from "./draft.ts";
import { type Example, examples, writeTools } from "./examples.ts";
import { RecordedExample } from "./recorded-example.tsx";
import { RequestForm } from "./request-form.tsx";

const beginWith = examples[0]!;

const isOf = ({ goal, state }: Example, draft: Draft): boolean =>
  goal === draft.goal && state === draft.state;

const firstDraft: Draft = {
  model: defaultModel,
  state: beginWith.state,
  goal: beginWith.goal,
  tools: writeTools(beginWith.tools),
  parameters: emptyParameters,
  compare: false,
};

/** Outlives the page, so that the conversation is still there after a visit to another page. */
let kept: { draft: Draft; conversations: readonly Conversation[] } = { draft: firstDraft, conversations: [] };

export function PlaygroundPage() {
  const [draft, setDraft] = useState(kept.draft);
  const { conversations, running, problem, setProblem, run, stop } = useRuns(draft);
  const answers = useScrollIntoView<HTMLDivElement>(conversations);
  const example = useRef(beginWith);
  // A goal of the visitor's own has no recorded plan: the example before it stays in view.
  example.current = examples.find((one) => isOf(one, draft)) ?? example.current;
  kept = { draft, conversations };
  const change = (changes: Partial<Draft>) => {
    setDraft({ ...draft, ...changes });
    setProblem(undefined);
  };
  return (
    <div class="playground">
      <div class="intro">
        <h1>See the plan before the answer</h1>
        <p>
          An LLM gateway with OpenAI's and Anthropic's API: a small world model plans the steps and picks the
          tool, then your LLM writes. <a href="/docs/plans">How to read a plan</a>
        </p>
      </div>
      <Examples draft={draft} onChange={change} />
      <FormSide>
        <RequestForm
          draft={draft}
          onChange={change}
          onRun={run}
          onStop={stop}
          onProblem={setProblem}
          running={running}
          problem={problem}
        />
      </FormSide>
      <div class="right" ref={answers} data-conversations={conversations.length}>
        {conversations.length === 0 && <RecordedExample example={example.current} />}
        {conversations.map((conversation) => (
          <ConversationView
            key={conversation.plan}
            conversation={conversation}
            model={draft.model.trim()}
            title={conversations.length > 1 ? titles[conversation.plan] : undefined}
          />
        ))}
      </div>
    </div>
  );
}

/** The conversations of the last run, and the next run. */
function useRuns(draft: Draft) {
  const [conversations, setConversations] = useState(kept.conversations);
  const [problem, setProblem] = useState<string | undefined>();
  const running = useRunning(conversations);
  const stop = () => {
    for (const conversation of conversations) conversation.stop();
  };
  const run = () => {
    const isSignedIn = caller.get() !== undefined;
    const settings = isSignedIn ? readRun(draft) : { ok: false as const, message: signInFirst };
    setProblem(settings.ok ? undefined : settings.message);
    if (!isSignedIn) focusKeyField();
    if (!settings.ok) return;
    stop();
    const next = draft.compare ? [new Conversation("on"), new Conversation("off")] : [new Conversation("on")];
    setConversations(next);
    for (const conversation of next) void conversation.start(settings.value, openingMessages(draft));
  };
  return { conversations, running, problem, setProblem, run, stop };
}

type ExamplesProps = { draft: Draft; onChange: (changes: Partial<Draft>) => void };

function Examples({ draft, onChange }: ExamplesProps) {
  return (
    <div class="examples">
      <span id="examples-label" class="hint">
        Try
      </span>
      <ul aria-labelledby="examples-label">
        {examples.map((one) => (
          <li key={one.name}>
            <button
              type="button"
              class="example"
              aria-pressed={isOf(one, draft)}
              onClick={() => onChange({ state: one.state, goal: one.goal, tools: writeTools(one.tools) })}
            >
              {one.name}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The settings to run with, or what is missing. */
const readRun = (draft: Draft): ReturnType<typeof readSettings> =>
  draft.goal.trim() === "" ? { ok: false, message: "Write a goal first." } : readSettings(draft);

const titles = { on: "With the plan", off: "Without the plan" };

function useRunning(conversations: readonly Conversation[]): boolean {
  const combined = useMemo(
    () => ({
      get: () => conversations.some((conversation) => conversation.state.get().running),
      subscribe: (listener: () => void) => {
        const ends = conversations.map((conversation) => conversation.state.subscribe(listener));
        return () => {
          for (const end of ends) end();
        };
      },
    }),
    [conversations],
  );
  return useStore(combined);
}
