/**
 * A request's messages as a provider of one dialect can read them: blocks of another dialect are replaced by
 * what says the same in plainer words, or left out and named. Pure.
 */
import type { ChatMessage, ChatRequest, ContentPart, DialectName, OpaquePart } from "../../shared/chat.ts";
import type { Omissions } from "./omissions.ts";

/** The messages without opaque parts that are not the provider's own. */
export function writePlainMessages(
  request: ChatRequest,
  provider: DialectName,
  omissions: Omissions,
): readonly ChatMessage[] {
  const plain = <P extends ContentPart>(parts: readonly P[]): P[] =>
    parts.flatMap((part) => {
      if (part.type !== "opaque" || part.dialect === provider) return [part];
      nameOpaque(part, request.callerDialect, omissions);
      return (part.fallback ?? []) as P[];
    });
  return request.messages.map((message) => {
    if (message.native !== undefined && message.native.dialect !== provider) omissions.name("extra_content");
    const parts = plain(message.parts).map((part) =>
      part.type === "tool-result" ? { ...part, content: plain(part.content) } : part,
    );
    return { ...message, parts };
  });
}

/** With a fallback only what stands around the content can be lost: that citations were asked for. */
function nameOpaque(
  { dialect, data, fallback }: OpaquePart,
  caller: DialectName,
  omissions: Omissions,
): void {
  const { type } = data;
  const name = dialect === caller && typeof type === "string" ? `messages.content.${type}` : undefined;
  if (fallback === undefined && name === undefined) omissions.add("opaqueContent");
  else if (fallback === undefined) omissions.name(name ?? "");
  else if (data.citations != null) omissions.name(`${name}.citations`);
}

/** Names what callers put on a part beside its content, where the provider takes none of it. */
export function nameMarks(
  part: { providerData?: Readonly<Record<string, unknown>> },
  taken: ReadonlySet<string>,
  omissions: Pick<Omissions, "name">,
): void {
  for (const [name, value] of Object.entries(part.providerData ?? {})) {
    if (!taken.has(name) && !saysNothing(value)) omissions.name(name);
  }
}

/** An empty list, such as the citations of a text that has none. */
export const saysNothing = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
