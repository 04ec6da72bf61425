/** What may follow an answer: results for its tool calls, another message, or a retry after a failure. */
import type { SubmitEventHandler } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AnswerState } from "./answer-state.ts";
import type { Conversation } from "./conversation.ts";

type FollowUpProps = {
  conversation: Conversation;
  answer: AnswerState;
  /** The answer is to a reply: the field for the next one takes over the focus of the one before. */
  repliedBefore: boolean;
  onReply: () => void;
};

export function FollowUp({ conversation, answer, repliedBefore, onReply }: FollowUpProps) {
  if (answer.phase === "failed" || answer.phase === "stopped")
    return (
      <div class="row">
        <button type="button" onClick={() => void conversation.retry()}>
          Try again
        </button>
      </div>
    );
  if (answer.phase !== "done") return null;
  return answer.toolCalls.length > 0 ? (
    <ResultsForm conversation={conversation} answer={answer} />
  ) : (
    <ReplyForm conversation={conversation} takesFocus={repliedBefore} onReply={onReply} />
  );
}

function ResultsForm({ conversation, answer }: { conversation: Conversation; answer: AnswerState }) {
  const id = useId();
  const [texts, setTexts] = useState<Record<string, string>>({});
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    void conversation.sendResults(answer.toolCalls.map((call) => ({ call, content: texts[call.id] ?? "" })));
  };
  return (
    <form class="continue" onSubmit={submit}>
      {answer.toolCalls.map(({ id: callId, function: { name } }, index) => (
        <div key={callId} class="field">
          <label for={`${id}-${index}`}>
            Result of <bdi>{name}</bdi>
          </label>
          <textarea
            id={`${id}-${index}`}
            rows={2}
            dir="auto"
            placeholder="You play the tool: type what it answers"
            value={texts[callId] ?? ""}
            onInput={(event) => setTexts({ ...texts, [callId]: event.currentTarget.value })}
            onKeyDown={submitOnCommandEnter}
          />
        </div>
      ))}
      <button type="submit">Send {answer.toolCalls.length === 1 ? "result" : "results"}</button>
    </form>
  );
}

type ReplyFormProps = { conversation: Conversation; takesFocus: boolean; onReply: () => void };

function ReplyForm({ conversation, takesFocus, onReply }: ReplyFormProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    // Unless the reader has gone elsewhere meanwhile.
    if (takesFocus && document.activeElement === document.body) field.current?.focus({ preventScroll: true });
  }, []);
  const [text, setText] = useState("");
  const submit: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    if (text.trim() === "") return;
    onReply();
    void conversation.reply(text);
  };
  return (
    <form class="continue" onSubmit={submit}>
      <div class="field">
        <label for={id}>Reply</label>
        <textarea
          id={id}
          ref={field}
          rows={2}
          dir="auto"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={submitOnCommandEnter}
        />
      </div>
      <button type="submit" class="secondary">
        Send
      </button>
    </form>
  );
}

/** Ctrl+Enter, or Command+Enter, sends the form of a text area. Held down it sends once: each sending is charged. */
export function submitOnCommandEnter(event: KeyboardEvent): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (event.repeat) return;
  (event.currentTarget as HTMLTextAreaElement).form?.requestSubmit();
}
