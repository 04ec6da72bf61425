/** Shown on the right before the first run: a plan that was recorded from the service, and is labelled so. */
import { examples } from "./examples.ts";
import { PlanView } from "./plan-view.tsx";
import { recorded } from "./recorded-plan.ts";

const { goal, tools } = examples[0]!;

export function RecordedExample() {
  return (
    <section class="conversation recorded" aria-label="A recorded example">
      <p class="recorded-label">A recorded example: run it to see it live</p>
      <p class="said-by-user">{goal}</p>
      <article class="answer">
        <PlanView svc={recorded} tools={tools.map(({ function: { name } }) => name)} plan="on" />
      </article>
      <p class="hint">
        The plan is on the stream's first chunk. A UI can draw it while the LLM is still thinking, and you see
        which tool will be called before it is.
      </p>
    </section>
  );
}
