/** Shown in place of an answer: that it is loading, or why there is none, with a way to ask again. Over an older answer: that it loads. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { focusHeading } from "./focus-heading.ts";
import { Loading } from "./loading.tsx";
import { Notice } from "./notice.tsx";
import type { Query } from "./use-query.ts";

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

/** Offers to ask again if that may help. */
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
