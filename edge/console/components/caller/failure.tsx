/** Why a request failed. Without credits it leads to the balance, and to the provider keys that need none. */
import { followLink } from "../../router.ts";
import { Notice } from "../boxes/notice.tsx";

/** `status`: the answer's; undefined if there was none. */
export type Failure = { status?: number | undefined; message: string };

export function FailureNotice({ status, message }: Failure) {
  return (
    <Notice kind="error">
      {message}
      {status === 402 && (
        <>
          {" "}
          <a href="/account" onClick={followLink}>
            Balance and provider keys
          </a>
        </>
      )}
    </Notice>
  );
}
