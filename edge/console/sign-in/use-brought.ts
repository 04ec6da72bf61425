/** What an address brings to the sign-in page, a one-time link or a provider's answer: handed in at once, and how that went. */
import { useEffect, useState } from "preact/hooks";
import { identityProviders } from "../../../shared/identity-providers.ts";
import { navigate } from "../address.ts";
import { type Proof, signIn } from "../api/session.ts";
import { readReturned } from "./returned.ts";

type Brought = { proof: Proof } | { problem: string };

/** Taken out of the address bar and of the history. */
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

/** `problem`: why nobody was signed in, until it is forgotten. */
export function useBrought(): { problem: string | undefined; isUnderWay: boolean; forget: () => void } {
  const [brought, setBrought] = useState(takeBrought);
  useEffect(() => {
    // A link that is opened on this very page loads nothing anew.
    const take = () => setBrought((before) => takeBrought() ?? before);
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  useEffect(() => {
    if (brought === undefined || "problem" in brought) return;
    void signIn(brought.proof).then((answer) => {
      setBrought(answer.ok ? undefined : { problem: answer.message });
      if (answer.ok) navigate("/");
    });
  }, [brought]);
  return {
    problem: brought && "problem" in brought ? brought.problem : undefined,
    isUnderWay: brought !== undefined && "proof" in brought,
    forget: () => setBrought(undefined),
  };
}
