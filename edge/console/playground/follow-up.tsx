/** What may follow an answer: results for its tool calls, another message; after a failure a retry, or the message changed. */
import type { SubmitEventHandler } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { ignoreHeldKey } from "../components/controls/clicks.ts";
import { TextField } from "../components/controls/field.tsx";
import type { AnswerState } from "./answer-state.ts";
import type { Conversation } from "./conversation.ts";

type FollowUpProps = {
  conversation: Conversation;
  answer: AnswerState;
  /** The form's model: a retry may go on with it. */
  model: string;
  /** The answer is to a reply, which can be changed here. The first message is changed in the request's form. */
  isReply: boolean;
  /** A follow-up was sent before, and its form, which had the focus, is gone: this one takes the focus over. */
  takesFocus: boolean;
  onGoOn: () => void;
};

export function FollowUp({ conversation, answer, model, isReply, takesFocus, onGoOn }: FollowUpProps) {
  const box = useRef<HTMLDivElement>(null);
  const [takenBack, setTakenBack] = useState<string | undefined>();
  useLayoutEffect(() => {
    // Unless the reader has gone elsewhere meanwhile.
    if ((takesFocus || takenBack !== undefined) && document.activeElement === document.body)
      box.current?.querySelector<HTMLElement>("textarea, button")?.focus({ preventScroll: true });
  }, [takenBack]);
  const { phase, toolCalls } = answer;
  const retry = (changed?: string) => {
    onGoOn();
    void conversation.retry(changed);
  };
  return (
    <div ref={box}>
      {phase === "failed" || phase === "stopped" ? (
        <div class="row">
          <button type="button" onKeyDown={ignoreHeldKey} onClick={() => retry()}>
            Try again
          </button>
          {model !== "" && model !== conversation.settings?.model && (
            <button type="button" class="long" onKeyDown={ignoreHeldKey} onClick={() => retry(model)}>
              Try again with {model}
            </button>
          )}
          {isReply && (
            <button type="button" onClick={() => setTakenBack(conversation.takeBack())}>
              Edit message
            </button>
          )}
        </div>
      ) : toolCalls.length > 0 ? (
        <ResultsForm conversation={conversation} answer={answer} onGoOn={onGoOn} />
      ) : (
        <ReplyForm conversation={conversation} begun={takenBack ?? ""} onGoOn={onGoOn} />
      )}
    </div>
  );
}

type ResultsFormProps = Pick<FollowUpProps, "conversation" | "answer" | "onGoOn">;

function ResultsForm({ conversation, answer, onGoOn }: ResultsFormProps) {
  const [texts, setTexts] = useState<Record<string, string>>({});
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    onGoOn();
    void conversation.sendResults(answer.toolCalls.map((call) => ({ call, content: texts[call.id] ?? "" })));
  };
  return (
    <form class="continue" onSubmit={submit}>
      {answer.toolCalls.map(({ id: callId, function: { name } }) => (
        <TextField
          key={callId}
          label={
            <>
              Result of <bdi>{name}</bdi>
            </>
          }
          placeholder="You play the tool: type what it answers"
          value={texts[callId] ?? ""}
          onText={(text) => setTexts({ ...texts, [callId]: text })}
        />
      ))}
      <button type="submit">Send {answer.toolCalls.length === 1 ? "result" : "results"}</button>
    </form>
  );
}

/** `begun`: a message that was taken back. */
type ReplyFormProps = Pick<FollowUpProps, "conversation" | "onGoOn"> & { begun: string };

function ReplyForm({ conversation, begun, onGoOn }: ReplyFormProps) {
  const [text, setText] = useState(begun);
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    onGoOn();
    void conversation.reply(text);
  };
  return (
    <form class="continue" onSubmit={submit}>
      <TextField label="Reply" value={text} onText={setText} />
      <button type="submit">Send</button>
    </form>
  );
}
