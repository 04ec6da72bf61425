/** Maps a native model id to the names an aggregator may list the same model under, likeliest first. */
import type { ProviderKind } from "../../shared/providers.ts";

/** claude-opus-4-8, claude-haiku-4-5-20251001: family first, the scheme since version 4. */
const familyFirst = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/;
/** claude-3-7-sonnet-20250219: version first, the scheme up to 3.7. */
const versionFirst = /^claude-(\d+)(?:-(\d{1,2}))?-([a-z]+)(?:-\d{8}|-latest)?$/;

function writeVersion(major: string, minor: string | undefined): string {
  return minor === undefined || minor === "0" ? major : `${major}.${minor}`;
}

function listAnthropicIds(id: string): string[] {
  const [, family, major, minor] = familyFirst.exec(id) ?? [];
  if (family && major) return [`anthropic/claude-${family}-${writeVersion(major, minor)}`];
  const [, oldMajor, oldMinor, oldFamily] = versionFirst.exec(id) ?? [];
  if (oldMajor && oldFamily) return [`anthropic/claude-${writeVersion(oldMajor, oldMinor)}-${oldFamily}`];
  return [];
}

const byProvider: Readonly<Record<Exclude<ProviderKind, "router">, (id: string) => string[]>> = {
  alpha: (id) => [`openai/${id}`],
  beta: (id) => [...listAnthropicIds(id), `anthropic/${id}`],
  gamma: (id) => [`google/${id}`],
};

/** Ids to look up in the aggregator's list; the bare id last, for proxies that keep the vendor's own names. */
export function listRouterIds(id: string, provider: Exclude<ProviderKind, "router">): string[] {
  return [...byProvider[provider](id), id];
}
