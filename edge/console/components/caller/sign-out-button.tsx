/** Signs out: ends the session, or forgets the pasted key. If the session cannot be ended, it says so. */
import { useState } from "preact/hooks";
import { signOut } from "../../api/session.ts";
import { focusMain } from "../../router.ts";
import { caller } from "../../session.ts";
import { useStore } from "../../use-store.ts";

export function SignOutButton({ look }: { look?: "quiet small" }) {
  const who = useStore(caller);
  const [problem, setProblem] = useState<string | undefined>();
  return (
    <>
      {problem !== undefined && (
        <span class="field-error" role="alert">
          Still signed in: {problem}
        </span>
      )}
      <button
        type="button"
        class={look ?? ""}
        onClick={async () => {
          // The button may vanish with what it acts on.
          if (who?.kind === "key") focusMain();
          setProblem(await signOut());
        }}
      >
        {who?.kind === "key" ? "Forget key" : "Sign out"}
      </button>
    </>
  );
}
