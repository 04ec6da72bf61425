/** Shown on the right before the first run: the chosen example's plan, recorded from the service and labelled so. */
import type { Example } from "./examples.ts";
import { PlanView } from "./plan-view.tsx";
import { recordedPlans } from "./recorded-plan.ts";

export function RecordedExample({ example: { name, goal, tools } }: { example: Example }) {
  return (
    <section class="conversation recorded" aria-label="A recorded example">
      <p class="hint">A recorded example: run it to see it live</p>
      <p class="said-by-user">{goal}</p>
      <article class="answer">
        <PlanView
          svc={recordedPlans[name] ?? {}}
          tools={tools.map(({ function: { name: tool } }) => tool)}
          plan="on"
          isRecorded
        />
      </article>
      <p class="hint">
        The plan is on the stream's first chunk, before the first word of the answer: an app can draw it, and
        you see which tool will be called before it is.
      </p>
    </section>
  );
}
