/** Leads to the providers where people have accounts. Nothing of theirs is loaded here: the browser goes there and comes back. */
import { useEffect, useState } from "preact/hooks";
import { type IdentityProvider, identityProviders } from "../../../shared/identity-providers.ts";
import { leaveToSignIn } from "../api/session.ts";
import { Notice } from "../components/notice.tsx";

type IdentityButtonsProps = { providers: readonly IdentityProvider[]; onBegin: () => void };

export function IdentityButtons({ providers, onBegin }: IdentityButtonsProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  useEffect(() => {
    // Who comes back by the browser's own button finds this page as it was left.
    const wake = () => setBusy(false);
    addEventListener("pageshow", wake);
    return () => removeEventListener("pageshow", wake);
  }, []);
  const leave = async (provider: IdentityProvider) => {
    setBusy(true);
    onBegin();
    const answer = await leaveToSignIn(provider);
    if (answer.ok) {
      location.assign(answer.value.url);
      return;
    }
    setBusy(false);
    setProblem(answer.message);
  };
  return (
    <div class="identities">
      {problem !== undefined && <Notice kind="error">{problem}</Notice>}
      {providers.map((provider) => (
        <button key={provider} type="button" disabled={busy} onClick={() => void leave(provider)}>
          Continue with {identityProviders[provider].title}
        </button>
      ))}
    </div>
  );
}
