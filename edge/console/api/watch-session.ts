/** Notices that the session of this page has ended: after a refusal the service is asked, and nobody is signed in any more. */
import * as z from "zod/mini";
import { caller } from "../session.ts";
import { createStore } from "../store.ts";

const Answer = z.object({ signed_in: z.boolean() });

export const sessionOver = "Your session has ended. Sign in again.";
/** Whether it has, until somebody signs in or pastes a key. */
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
  if (isOver && caller.get() === who) {
    caller.set(undefined);
    sessionEnded.set(true);
  }
  return isOver;
}

let asking: Promise<boolean> | undefined;

/** Only a service that says so counts: one that does not answer has ended nothing. Refusals at the same time ask once. */
export function hasSessionEnded(): Promise<boolean> {
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}
