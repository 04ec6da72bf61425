/** What a page asks the API when it is shown: the hook that asks, and what stands in place of an answer. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../api/call-api.ts";
import { Notice } from "./boxes/notice.tsx";
import { focusHeading } from "./focus-heading.ts";

export type Query<Value> = {
  result: Result<Value> | undefined;
  /** A newer answer takes long enough for the wait to be noticed. */
  isSlow: boolean;
  /** Asks again; resolves when the answer is there. */
  ask: () => Promise<void>;
  /** Asks again without saying so. */
  poll: () => Promise<void>;
};

const noticedMs = 400;

/** An older answer never overwrites a newer one. @param inputs asks again when one of these changes */
export function useQuery<Value>(
  query: () => Promise<Result<Value>>,
  inputs: readonly unknown[],
): Query<Value> {
  const [result, setResult] = useState<Result<Value> | undefined>();
  const [isSlow, setIsSlow] = useState(false);
  const turn = useRef(0);
  const poll = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    const answer = await query();
    if (mine !== turn.current) return;
    setResult(answer);
    setIsSlow(false);
  }, inputs);
  const ask = useCallback(async () => {
    const answered = poll();
    const mine = turn.current;
    const timer = setTimeout(() => mine === turn.current && setIsSlow(true), noticedMs);
    await answered;
    clearTimeout(timer);
  }, [poll]);
  useEffect(() => {
    void ask();
    return () => {
      turn.current += 1;
    };
  }, [ask]);
  return { result, isSlow, ask, poll };
}

/** In place of an answer: that it is loading, or why there is none. Over an older answer: that a newer one loads. */
export function QueryState({ result, isSlow, ask }: QueryStateProps) {
  if (result === undefined) return <Loading />;
  return (
    <>
      {!result.ok && <Refused {...result} onAgain={ask} />}
      {isSlow && <Loading isSlow />}
    </>
  );
}

type QueryStateProps = Pick<Query<unknown>, "result" | "isSlow" | "ask">;
type RefusedProps = { status: number; message: string; onAgain: () => void };

/** Why there is no answer. Offers to ask again if that may help. */
export function Refused({ status, message, onAgain }: RefusedProps) {
  const mayHelp = status === 0 || status === 429 || status >= 500;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const going = button.current;
    return () => {
      if (going !== null && document.activeElement === going) focusHeading(going);
    };
  }, [mayHelp]);
  return (
    <Notice kind="error">
      {message}
      {mayHelp && (
        <div class="row again">
          <button ref={button} type="button" class="small" onClick={onAgain}>
            Try again
          </button>
        </div>
      )}
    </Notice>
  );
}

/** Shows "Loading…" after 0.4 s, by a CSS animation; at once if `isSlow`, which says that the time has passed. */
export function Loading({ what = "Loading…", isSlow = false }: { what?: string; isSlow?: boolean }) {
  return (
    <p class={isSlow ? "hint" : "hint loading"} role="status">
      {what}
    </p>
  );
}
