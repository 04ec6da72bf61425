/**
 * Reads a one-time link or a provider's answer from the sign-in page's URL, and sends it to the API at once. After an answer that
 * links an identity, the account page opens and shows the result.
 */
import { useEffect, useState } from "preact/hooks";
import { identityProviders } from "../../../shared/identity-providers.ts";
import { navigate } from "../address.ts";
import { linkIdentity } from "../api/identities.ts";
import { type Proof, signIn } from "../api/session.ts";
import { type Returned, readReturned } from "./returned.ts";

type Brought = { proof: Proof } | { toLink: Returned } | { problem: string };

/** Removed from the address bar and from the history. */
function takeBrought(): Brought | undefined {
  const url = new URL(location.href);
  const link = url.hash.slice(1);
  const returned = readReturned(url);
  if (!link.startsWith("svc_ln_") && returned === undefined) return undefined;
  history.replaceState(null, "", "/sign-in");
  if (returned === undefined) return { proof: { link } };
  if (returned.isToLink) return { toLink: returned };
  if (returned.proof !== undefined) return { proof: returned.proof };
  const { title } = identityProviders[returned.provider];
  return { problem: `${title} did not sign you in. Begin again, or choose another way.` };
}

/** `problem`: why nobody was signed in, until it is dismissed. */
export function useBrought(): {
  problem: string | undefined;
  underWay: string | undefined;
  forget: () => void;
} {
  const [brought, setBrought] = useState(takeBrought);
  useEffect(() => {
    // A link opened on this very page does not load it again.
    const take = () => setBrought((before) => takeBrought() ?? before);
    addEventListener("hashchange", take);
    // It may have come since the page was drawn.
    take();
    return () => removeEventListener("hashchange", take);
  }, []);
  useEffect(() => {
    if (brought === undefined || "problem" in brought) return;
    if ("toLink" in brought) {
      void linkIdentity(brought.toLink.provider, brought.toLink.proof).then(() => navigate("/account"));
      return;
    }
    void signIn(brought.proof).then((answer) => {
      setBrought(answer.ok ? undefined : { problem: answer.message });
      if (answer.ok) navigate("/");
    });
  }, [brought]);
  return {
    problem: brought && "problem" in brought ? brought.problem : undefined,
    underWay: describeWork(brought),
    forget: () => setBrought(undefined),
  };
}

function describeWork(brought: Brought | undefined): string | undefined {
  if (brought === undefined || "problem" in brought) return undefined;
  if ("proof" in brought) return "Signing in…";
  return `Linking ${identityProviders[brought.toLink.provider].title}…`;
}
