/** The ways in which this account's owner signs in: listed, linked, and unlinked after a confirmation. */
import { useEffect, useState } from "preact/hooks";
import { identityProviders, isIdentityProvider } from "../../../shared/identity-providers.ts";
import {
  type LinkedIdentity,
  leaveToLink,
  linkingResult,
  readWaysIn,
  unlinkIdentity,
  type WaysIn,
} from "../api/identities.ts";
import { type Said, sayResult } from "../api/say-result.ts";
import { codesGoToLog, signInMethods } from "../api/session.ts";
import { Card } from "../components/boxes/card.tsx";
import { Notice } from "../components/boxes/notice.tsx";
import { ConfirmButton } from "../components/controls/confirm-button.tsx";
import { formatMoment } from "../components/format.ts";
import { QueryState, useQuery } from "../components/query.tsx";
import { IdentityButtons } from "../sign-in/identity-buttons.tsx";
import { useStore } from "../use-store.ts";

const titleOf = (provider: string): string =>
  isIdentityProvider(provider) ? identityProviders[provider].title : provider;

export function SignInSection() {
  const { result, isSlow, ask } = useQuery(readWaysIn, []);
  const methods = useStore(signInMethods) ?? [];
  const [said, setSaid] = useState<Said | undefined>();
  const unlink = async (identity: LinkedIdentity) => {
    const answer = await unlinkIdentity(identity);
    const done = `${titleOf(identity.provider)} is unlinked. Other browsers that were signed in to this account are signed out.`;
    setSaid(sayResult(answer, () => done));
    ask();
  };
  const linked = result?.ok ? result.value.data.map(({ provider }) => provider) : [];
  const unlinked = methods.filter(isIdentityProvider).filter((provider) => !linked.includes(provider));
  return (
    <Card title="Signing in">
      <QueryState result={result} isSlow={isSlow} ask={ask} />
      {said !== undefined && <Notice kind={said.kind}>{said.message}</Notice>}
      {result?.ok && (
        <>
          <Ways ways={result.value} onUnlink={(identity) => void unlink(identity)} />
          <IdentityButtons verb="Link" providers={unlinked} leave={leaveToLink} />
        </>
      )}
    </Card>
  );
}

type WaysProps = { ways: WaysIn; onUnlink: (identity: LinkedIdentity) => void };

function Ways({ ways: { email, data }, onUnlink }: WaysProps) {
  const inLog = useStore(codesGoToLog);
  if (email === null && data.length === 0)
    return <p class="hint">Only a link of the operator's signs in to this account.</p>;
  return (
    <ul class="ways-in">
      {email !== null && (
        <li>
          <span class="way-name">{inLog ? "Code in the service's log" : "Code by e-mail"}</span>
          <span class="hint">
            {inLog ? "for" : "sent to"} <bdi>{email}</bdi>
          </span>
        </li>
      )}
      {data.map((identity) => (
        <li key={`${identity.provider} ${identity.subject}`}>
          <span class="way-name">{titleOf(identity.provider)}</span>
          <span class="hint">
            id <bdi>{identity.subject}</bdi>, linked {formatMoment(identity.linked_at)}
          </span>
          {identity.removable ? (
            <ConfirmButton
              label="Unlink"
              about={titleOf(identity.provider)}
              onConfirm={() => onUnlink(identity)}
            />
          ) : (
            <span class="hint">the last way in: link another before you unlink it</span>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The result of linking, shown where the reader returns from a provider; gone when the page is left. */
export function LinkingNotice() {
  const [said] = useState(linkingResult.get);
  useEffect(() => linkingResult.set(undefined), []);
  return said === undefined ? null : <Notice kind={said.kind}>{said.message}</Notice>;
}
