/** Buttons that lead to identity providers. Nothing of theirs is loaded here: the browser goes there and comes back. */
import { useEffect, useState } from "preact/hooks";
import { type IdentityProvider, identityProviders } from "../../../shared/identity-providers.ts";
import type { Result } from "../api/call-api.ts";
import { Notice } from "../components/boxes/notice.tsx";

type IdentityButtonsProps = {
  providers: readonly IdentityProvider[];
  /** The button's words before the provider's name. */
  verb: string;
  leave: (provider: IdentityProvider) => Promise<Result<{ url: string }>>;
  onBegin?: () => void;
};

export function IdentityButtons({ providers, verb, leave, onBegin }: IdentityButtonsProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | undefined>();
  useEffect(() => {
    // After the browser's back button the page is shown as it was left.
    const wake = () => setBusy(false);
    addEventListener("pageshow", wake);
    return () => removeEventListener("pageshow", wake);
  }, []);
  const press = async (provider: IdentityProvider) => {
    setBusy(true);
    onBegin?.();
    const answer = await leave(provider);
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
        <button key={provider} type="button" disabled={busy} onClick={() => void press(provider)}>
          {verb} {identityProviders[provider].title}
        </button>
      ))}
    </div>
  );
}
