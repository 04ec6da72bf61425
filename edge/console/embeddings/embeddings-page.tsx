/** The embeddings page: similarity of pasted lines, as a map and a table. */
import { useId, useState } from "preact/hooks";
import * as z from "zod/mini";
import { callApi } from "../api/call-api.ts";
import { formatCount, formatCredits } from "../components/format.ts";
import { KeyPanel } from "../components/key-panel.tsx";
import { Notice } from "../components/notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useSubmit } from "../components/use-submit.ts";
import { compareAll, readLines } from "./similarity.ts";
import { SimilarityMap } from "./similarity-map.tsx";
import { SimilarityTable } from "./similarity-table.tsx";

const Embeddings = z.object({
  data: z.array(z.object({ embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.number() }),
});

const model = "svc-x1ac-base";
/** With more lines the map's squares are too small to point at; the API takes 100. */
const maxLines = 24;

const example = [
  "Book a flight to Lisbon",
  "Reserve a plane ticket to Portugal",
  "Turn off the kitchen light",
  "Switch the lamp off",
  "Run the test suite",
  "Check whether the tests pass",
].join("\n");

type Shown = {
  lines: string[];
  cosines: number[][];
  dimension: number;
  tokens: number;
  charged: string | null;
};

/** Outlives the page: what was typed is still there for somebody who had to sign in on another page. */
let kept: { text: string; shown?: Shown | undefined } = { text: example };

export function EmbeddingsPage() {
  const id = useId();
  const [text, setText] = useState(kept.text);
  const [shown, setShown] = useState(kept.shown);
  kept = { text, shown };
  const lines = readLines(text, maxLines);
  const { submit, busy, problem } = useSubmit(
    () => callApi("/v1/embeddings", Embeddings, { method: "POST", body: { model, input: lines } }),
    ({ value, headers }) => {
      const vectors = value.data.map(({ embedding }) => embedding);
      setShown({
        lines,
        cosines: compareAll(vectors),
        dimension: vectors[0]?.length ?? 0,
        tokens: value.usage.prompt_tokens,
        charged: headers.get("x-svc-credits-charged"),
      });
    },
  );
  return (
    <div class="playground">
      <div class="intro">
        <h1>Embeddings</h1>
        <p>How alike texts are to the world model: it plans by these vectors. No LLM is called.</p>
      </div>
      <div class="left">
        <KeyPanel />
        <form class="card request" onSubmit={submit} aria-label="Embeddings">
          <div class="field">
            <label for={id}>
              Texts <span class="label-hint">one a line, at most {maxLines}</span>
            </label>
            <textarea
              id={id}
              rows={8}
              dir="auto"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          </div>
          <div class="row">
            <SubmitButton look="primary" busy={busy} disabled={lines.length < 2}>
              {busy ? "Comparing…" : `Compare ${lines.length}`}
            </SubmitButton>
            {lines.length < 2 && <span class="hint">Write at least two lines.</span>}
          </div>
        </form>
      </div>
      <div class="right">
        {problem !== undefined && <Notice kind="error">{problem}</Notice>}
        {shown === undefined ? (
          <p class="empty">
            Compare to see which lines mean the same: the stronger a square, the more alike its two lines.
          </p>
        ) : (
          <section class="card result" aria-label="Similarity">
            <SimilarityMap lines={shown.lines} cosines={shown.cosines} />
            <SimilarityTable lines={shown.lines} cosines={shown.cosines} />
            <p class="hint">
              {formatCount(shown.dimension)} numbers a text, {formatCount(shown.tokens)} tokens
              {shown.charged !== null && `, ${formatCredits(Number(shown.charged))} credits charged`}
            </p>
          </section>
        )}
      </div>
    </div>
  );
}
