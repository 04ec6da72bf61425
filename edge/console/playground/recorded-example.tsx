/** Shown on the right before the first run: a plan that was recorded from the service, and is labelled so. */
import type { Svc } from "../api/chat-wire.ts";
import { examples } from "./examples.ts";
import { PlanView } from "./plan-view.tsx";

const { goal, tools } = examples[0]!;

/** From the service's own answer to the first example, checkpoint x1ac-base-11 on two CPU cores. */
const recorded: Svc = {
  action_sequence: ["search_flights", "book_flight"],
  predicted_state_changes: [24.9239, 12.2444],
  confidence_labels: ["High", "High"],
  overall_confidence: 0.932,
  brain_signal: { action_type: "search_flights", confidence: 0.932 },
};

export function RecordedExample() {
  return (
    <section class="lane recorded" aria-label="A recorded example">
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
