/**
 * Refuses a request of whose newest message the provider takes nothing, such as sound alone at Claude. Without that message the model
 * would go on with its own last words, or answer the gateway's plan.
 */
import { type ChatRequest, type ContentPart, type DialectName, isInstruction } from "../../../shared/chat.ts";
import { GatewayError } from "../../../shared/errors.ts";
import { nameOpaque, type Omissions } from "./omissions.ts";

const isText = ({ type }: ContentPart): boolean => type === "text";

/** The caller's own parts of the newest message, if it is the user's. */
function readNewest({ messages, added }: ChatRequest): readonly ContentPart[] {
  const newest = messages.findLast((message) => !isInstruction(message));
  if (newest?.role !== "user") return [];
  return added?.place === "into" ? newest.parts.slice(0, -added.texts.length) : newest.parts;
}

/**
 * To be called before the messages are written. `write` gives what the provider gets of a part, and names in `omissions` what is left out.
 *
 * @throws GatewayError unsupported_parameter
 */
export function refuseEmptied(
  request: ChatRequest,
  provider: DialectName,
  write: (part: ContentPart) => readonly unknown[],
  omissions: Omissions,
): void {
  const parts = readNewest(request);
  if (parts.every(isText)) return;
  const before = new Set(omissions.list());
  const isSent = (part: ContentPart): boolean => {
    if (part.type !== "opaque") return write(part).length > 0;
    if (part.dialect === provider || (part.fallback ?? []).length > 0) return true;
    nameOpaque(part, request.callerDialect, omissions);
    return false;
  };
  if (parts.some(isSent)) return;
  const names = omissions.list().filter((name) => !before.has(name));
  const what = names.length > 0 ? ` (${names.join(", ")})` : "";
  throw new GatewayError(
    "unsupported_parameter",
    `The model's provider takes nothing of the newest message${what}: send it in another form, or choose another model.`,
  );
}
