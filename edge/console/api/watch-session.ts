/** Notices that this page's session has ended: after a refusal it asks the service, and signs the page out. */
import * as z from "zod/mini";
import { caller } from "../session.ts";
import { createStore } from "../store.ts";

const Answer = z.object({ signed_in: z.boolean() });

export const sessionOver = "Your session has ended. Sign in again.";
/** Whether the session has ended, until somebody signs in or pastes a key. */
export const sessionEnded = createStore(false);
caller.subscribe(() => caller.get() !== undefined && sessionEnded.set(false));

async function ask(): Promise<boolean> {
  const who = caller.get();
  const answer = await fetch("/v1/account/session", { cache: "no-store" })
    .then((response) => response.json())
    .catch(() => undefined);
  const read = Answer.safeParse(answer);
  const isOver = read.success && !read.data.signed_in;
  // Somebody may have signed in meanwhile.
  if (isOver && who?.kind === "session" && caller.get() === who) {
    caller.set(undefined);
    sessionEnded.set(true);
  }
  return isOver;
}

let asking: Promise<boolean> | undefined;

/**
 * Only an explicit answer of the service counts: no answer does not mean that the session has ended. Simultaneous refusals share
 * one request.
 */
export function hasSessionEnded(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
