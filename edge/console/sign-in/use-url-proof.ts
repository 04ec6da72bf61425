/**
 * Reads a one-time link or a provider's answer from the sign-in page's URL, and sends it to the API at once. After an answer that
 * links an identity, the account page opens and shows the result.
 */
import { useEffect, useState } from "preact/hooks";
import { identityProviders } from "../../../shared/identity-providers.ts";
import { linkIdentity } from "../api/identities.ts";
import { type Proof, signIn } from "../api/session.ts";
import { navigate } from "../router.ts";
import { type ProviderCallback, readProviderCallback } from "./provider-callback.ts";

type UrlProof = { proof: Proof } | { toLink: ProviderCallback } | { problem: string };

/** Reads the proof and removes it from the address bar and the history, where others could read it. */
function takeUrlProof(): UrlProof | undefined {
  const url = new URL(location.href);
  const link = url.hash.slice(1);
  const returned = readProviderCallback(url);
  if (!link.startsWith("svc_ln_") && returned === undefined) return undefined;
  history.replaceState(null, "", "/sign-in");
  if (returned === undefined) return { proof: { link } };
  if (returned.isToLink) return { toLink: returned };
  if (returned.proof !== undefined) return { proof: returned.proof };
  const { title } = identityProviders[returned.provider];
  return { problem: `${title} did not sign you in. Begin again, or choose another way.` };
}

/** `problem`: why nobody was signed in, until it is dismissed. */
export function useUrlProof(): {
  problem: string | undefined;
  underWay: string | undefined;
  forget: () => void;
} {
  const [urlProof, setUrlProof] = useState(takeUrlProof);
  useEffect(() => {
    // A one-time link opened while this page is shown changes only the fragment, so the page is not loaded again.
    const take = () => setUrlProof((before) => takeUrlProof() ?? before);
    addEventListener("hashchange", take);
    // The fragment may have changed between the first drawing and this effect.
    take();
    return () => removeEventListener("hashchange", take);
  }, []);
  useEffect(() => {
    if (urlProof === undefined || "problem" in urlProof) return;
    if ("toLink" in urlProof) {
      void linkIdentity(urlProof.toLink.provider, urlProof.toLink.proof).then(() => navigate("/account"));
      return;
    }
    void signIn(urlProof.proof).then((answer) => {
      setUrlProof(answer.ok ? undefined : { problem: answer.message });
      if (answer.ok) navigate("/");
    });
  }, [urlProof]);
  return {
    problem: urlProof && "problem" in urlProof ? urlProof.problem : undefined,
    underWay: describeWork(urlProof),
    forget: () => setUrlProof(undefined),
  };
}

function describeWork(urlProof: UrlProof | undefined): string | undefined {
  if (urlProof === undefined || "problem" in urlProof) return undefined;
  if ("proof" in urlProof) return "Signing in…";
  return `Linking ${identityProviders[urlProof.toLink.provider].title}…`;
}
