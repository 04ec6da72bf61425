/** The operator's page: accounts, errors, margins, gpu-workers. */
import { askSession, sessionAnswer } from "../api/session.ts";
import { Notice } from "../components/boxes/notice.tsx";
import { Loading, Refused } from "../components/query.tsx";
import { followLink } from "../router.ts";
import { caller } from "../session.ts";
import { useStore } from "../use-store.ts";
import { AccountsSection } from "./accounts-section.tsx";
import { BooksSection } from "./books-section.tsx";
import { ErrorsSection } from "./errors-section.tsx";
import { WorkersSection } from "./workers-section.tsx";

export function OperatorPage() {
  const who = useStore(caller);
  const answer = useStore(sessionAnswer);
  const isOperator = who?.kind === "session" && who.operator;
  return (
    <div class="account">
      <h1>Operator</h1>
      {who === undefined && answer === "pending" ? (
        <Loading />
      ) : who === undefined && typeof answer !== "string" ? (
        <Refused {...answer} onAgain={() => void askSession()} />
      ) : isOperator ? (
        <>
          <AccountsSection />
          <ErrorsSection />
          <BooksSection />
          <WorkersSection />
        </>
      ) : (
        <Notice kind="info">
          This page is for operators.{" "}
          <a href="/sign-in" onClick={followLink}>
            Sign in
          </a>{" "}
          with an account marked by <code>npm run admin -- account operator</code>.
        </Notice>
      )}
    </div>
  );
}
