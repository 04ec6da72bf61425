/** Signing in: an e-mail address, then the code that was sent there; or at once by a link's fragment. */
import { useEffect, useState } from "preact/hooks";
import { followLink, navigate } from "../address.ts";
import { account } from "../api/account.ts";
import { signIn, signInMethods, signOut } from "../api/session.ts";
import { Notice } from "../components/notice.tsx";
import { caller } from "../session.ts";
import { useStore } from "../store.ts";
import { AddressForm } from "./address-form.tsx";
import { CodeForm, type SentCode } from "./code-form.tsx";

/** A link's secret, taken out of the address bar and the history at once. */
function takeLink(): string | undefined {
  const link = location.hash.slice(1);
  if (!link.startsWith("svc_ln_")) return undefined;
  history.replaceState(null, "", location.pathname);
  return link;
}

export function SignInPage() {
  const who = useStore(caller);
  const methods = useStore(signInMethods);
  const [link] = useState(takeLink);
  const [problem, setProblem] = useState<string | undefined>();
  const [sent, setSent] = useState<SentCode | undefined>();
  useEffect(() => {
    if (link === undefined) return;
    void signIn({ link }).then((answer) => (answer.ok ? navigate("/") : setProblem(answer.message)));
  }, [link]);

  return (
    <div class="sign-in">
      <h1>Sign in</h1>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      {link !== undefined && problem === undefined && <p class="hint">Signing in…</p>}
      {who?.kind === "session" && <SignedIn />}
      {who?.kind !== "session" &&
        (link === undefined || problem !== undefined) &&
        (methods?.includes("code") ? (
          sent === undefined ? (
            <AddressForm onSent={setSent} />
          ) : (
            <CodeForm sent={sent} onDone={() => navigate("/")} onBack={() => setSent(undefined)} />
          )
        ) : (
          methods !== undefined && (
            <p class="empty">This service sends no mail: ask its operator for a sign-in link.</p>
          )
        ))}
      <p class="hint">
        An API key does as well:{" "}
        <a href="/" onClick={followLink}>
          paste it in the playground
        </a>
        .
      </p>
    </div>
  );
}

function SignedIn() {
  const known = useStore(account);
  return (
    <div class="card">
      <p>
        You are signed in
        {known.state === "known" && (
          <>
            {" "}
            as <bdi>{known.balance.email}</bdi>
          </>
        )}
        .
      </p>
      <div class="row">
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </div>
  );
}
