/** Shown in place of an answer: that it is loading, or why there is none, with a way to ask again. */
import { Loading } from "./loading.tsx";
import { Notice } from "./notice.tsx";
import type { Query } from "./use-query.ts";

export function QueryState({ result, ask }: Query<unknown>) {
  if (result === undefined) return <Loading />;
  return result.ok ? null : <Refused {...result} onAgain={ask} />;
}

type RefusedProps = { status: number; message: string; onAgain: () => void };

/** Offers to ask again if that may help. */
export function Refused({ status, message, onAgain }: RefusedProps) {
  const mayHelp = status === 0 || status === 429 || status >= 500;
  return (
    <Notice kind="error">
      {message}
      {mayHelp && (
        <div class="row again">
          <button type="button" class="small" onClick={onAgain}>
            Try again
          </button>
        </div>
      )}
    </Notice>
  );
}
