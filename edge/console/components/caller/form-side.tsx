/**
 * The side of a page with its form, below the ways to sign in if nobody has. Both wait for the service to say whether somebody has: ways to
 * sign in that came later would push the form's button away from under a pointer.
 */
import type { ComponentChildren } from "preact";
import { sessionAnswer } from "../../api/session.ts";
import { caller } from "../../session.ts";
import { useStore } from "../../use-store.ts";
import { Loading } from "../query.tsx";
import { KeyPanel } from "./key-panel.tsx";

export function FormSide({ children }: { children: ComponentChildren }) {
  const who = useStore(caller);
  const answer = useStore(sessionAnswer);
  const isKnown = who !== undefined || answer !== "pending";
  return (
    <div class="left">
      {isKnown ? <KeyPanel /> : <Loading />}
      {isKnown && children}
    </div>
  );
}
