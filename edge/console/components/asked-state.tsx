/** What stands where an answer is to come: that it is under way, or why there is none and the way to ask again. */
import { Loading } from "./loading.tsx";
import { Notice } from "./notice.tsx";
import type { Asked } from "./use-asked.ts";

export function AskedState({ result, ask }: Asked<unknown>) {
  if (result === undefined) return <Loading />;
  return result.ok ? null : <Refused {...result} onAgain={ask} />;
}

type RefusedProps = { status: number; message: string; onAgain: () => void };

/** Asking again is offered where that may help. */
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
