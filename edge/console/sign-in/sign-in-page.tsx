/**
 * The sign-in page: by an identity provider, or by an e-mail address and the code sent to it. A browser with a one-time link, or
 * one that comes back from a provider, is signed in at once.
 */
import { useState } from "preact/hooks";
import { isIdentityProvider } from "../../../shared/identity-providers.ts";
import { account } from "../api/account.ts";
import { askSession, leaveToSignIn, sessionAnswer, signInMethods } from "../api/session.ts";
import { Notice } from "../components/boxes/notice.tsx";
import { SignOutButton } from "../components/caller/sign-out-button.tsx";
import { Loading, Refused } from "../components/query.tsx";
import { followLink, navigate, previousPath } from "../router.ts";
import { caller } from "../session.ts";
import { useStore } from "../use-store.ts";
import { CodeForm, type SentCode } from "./code-form.tsx";
import { EmailForm } from "./email-form.tsx";
import { IdentityButtons } from "./identity-buttons.tsx";
import { useUrlProof } from "./use-url-proof.ts";

export function SignInPage() {
  const who = useStore(caller);
  const { problem, underWay, forget } = useUrlProof();
  return (
    <div class="sign-in">
      <h1>Sign in</h1>
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      {underWay !== undefined && <p class="hint">{underWay}</p>}
      {who?.kind === "session" ? <SignedIn /> : underWay === undefined && <Ways onBegin={forget} />}
      {who === undefined && (
        <p class="hint">
          An API key does as well:{" "}
          <a href="/" onClick={followLink}>
            paste it in the playground
          </a>
          .
        </p>
      )}
    </div>
  );
}

/** @param onBegin called when a way is chosen, to clear an earlier error */
function Ways({ onBegin }: { onBegin: () => void }) {
  const methods = useStore(signInMethods);
  const [sent, setSent] = useState<SentCode | undefined>();
  const [before, setBefore] = useState("");
  const begin = (code: SentCode) => {
    onBegin();
    setSent(code);
    setBefore(code.email);
  };
  const answer = useStore(sessionAnswer);
  if (methods === undefined)
    return typeof answer === "string" ? (
      <Loading />
    ) : (
      <Refused {...answer} onAgain={() => void askSession()} />
    );
  if (sent !== undefined)
    return <CodeForm sent={sent} onDone={() => navigate(previousPath())} onBack={() => setSent(undefined)} />;
  const providers = methods.filter(isIdentityProvider);
  const byCode = methods.includes("code");
  if (!byCode && providers.length === 0)
    return <p class="empty">This service sends no mail: ask its operator for a sign-in link.</p>;
  return (
    <>
      {providers.length > 0 && (
        <IdentityButtons verb="Continue with" providers={providers} leave={leaveToSignIn} onBegin={onBegin} />
      )}
      {providers.length > 0 && byCode && <p class="or">or</p>}
      {byCode && <EmailForm before={before} onSent={begin} />}
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
        <SignOutButton />
      </div>
    </div>
  );
}
