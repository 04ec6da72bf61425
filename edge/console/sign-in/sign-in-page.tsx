/**
 * Signing in: with an account elsewhere, or an e-mail address and the code that was sent there. Who is led here by a one-time link,
 * or comes back from a provider, is signed in at once.
 */
import { useEffect, useState } from "preact/hooks";
import { identityProviders, isIdentityProvider } from "../../../shared/identity-providers.ts";
import { followLink, navigate } from "../address.ts";
import { account } from "../api/account.ts";
import { type Proof, signIn, signInMethods, signOut } from "../api/session.ts";
import { Notice } from "../components/notice.tsx";
import { caller } from "../session.ts";
import { useStore } from "../store.ts";
import { AddressForm } from "./address-form.tsx";
import { CodeForm, type SentCode } from "./code-form.tsx";
import { IdentityButtons } from "./identity-buttons.tsx";
import { readReturned } from "./returned.ts";

type Brought = { proof: Proof } | { problem: string };

/** What the address bar brings, taken out of it and of the history at once. */
function takeBrought(): Brought | undefined {
  const url = new URL(location.href);
  const link = url.hash.slice(1);
  const returned = readReturned(url);
  if (!link.startsWith("svc_ln_") && returned === undefined) return undefined;
  history.replaceState(null, "", "/sign-in");
  if (returned === undefined) return { proof: { link } };
  if (returned.proof !== undefined) return { proof: returned.proof };
  const { title } = identityProviders[returned.provider];
  return { problem: `${title} did not sign you in. Begin again, or choose another way.` };
}

export function SignInPage() {
  const who = useStore(caller);
  const [brought] = useState(takeBrought);
  const [problem, setProblem] = useState(brought && "problem" in brought ? brought.problem : undefined);
  const [isUnderWay, setUnderWay] = useState(brought !== undefined && "proof" in brought);
  useEffect(() => {
    if (brought === undefined || "problem" in brought) return;
    void signIn(brought.proof).then((answer) => {
      setUnderWay(false);
      if (answer.ok) navigate("/");
      else setProblem(answer.message);
    });
  }, [brought]);

  return (
    <div class="sign-in">
      <h1>Sign in</h1>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      {isUnderWay && <p class="hint">Signing in…</p>}
      {who?.kind === "session" ? <SignedIn /> : !isUnderWay && <Ways onBegin={() => setProblem(undefined)} />}
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

/** @param onBegin when a way is chosen: what went wrong before is over */
function Ways({ onBegin }: { onBegin: () => void }) {
  const methods = useStore(signInMethods);
  const [sent, setSent] = useState<SentCode | undefined>();
  const begin = (code: SentCode) => {
    onBegin();
    setSent(code);
  };
  if (methods === undefined) return null;
  if (sent !== undefined)
    return <CodeForm sent={sent} onDone={() => navigate("/")} onBack={() => setSent(undefined)} />;
  const providers = methods.filter(isIdentityProvider);
  const byCode = methods.includes("code");
  if (!byCode && providers.length === 0)
    return <p class="empty">This service sends no mail: ask its operator for a sign-in link.</p>;
  return (
    <>
      {providers.length > 0 && <IdentityButtons providers={providers} onBegin={onBegin} />}
      {providers.length > 0 && byCode && <p class="or">or</p>}
      {byCode && <AddressForm onSent={begin} />}
    </>
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
