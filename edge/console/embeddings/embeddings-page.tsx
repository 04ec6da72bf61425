/** The embeddings page: similarity of pasted lines, as a map and a table. */
import { useState } from "preact/hooks";
import * as z from "zod/mini";
import { callApi } from "../api/call-api.ts";
import { FailureNotice } from "../components/caller/failure.tsx";
import { CopyButton } from "../components/controls/copy-button.tsx";
import { TextField } from "../components/controls/field.tsx";
import { SubmitButton } from "../components/controls/submit.tsx";
import { formatCount, formatCredits } from "../components/format.ts";
import { useSubmit, WorldModelPage } from "../components/world-model-page.tsx";
import { writeCurl } from "../components/write-curl.ts";
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
  const [text, setText] = useState(kept.text);
  const [shown, setShown] = useState(kept.shown);
  kept = { text, shown };
  const lines = readLines(text, maxLines);
  const body = { model, input: lines };
  const { submit, busy, problem } = useSubmit(
    `Embeddings: ${lines[0] ?? ""}`,
    () => callApi("/v1/embeddings", Embeddings, { method: "POST", body }),
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
    <WorldModelPage
      title="Embeddings"
      intro="How alike texts are to the world model: it plans by these vectors. No LLM is called."
      empty="Compare to see which lines mean the same: the stronger a square, the more alike its two lines."
      form={
        <form class="card request" onSubmit={submit} aria-label="Embeddings">
          <TextField
            label="Texts"
            hint={`one a line, at most ${maxLines}`}
            rows={8}
            value={text}
            onText={setText}
          />
          {problem !== undefined && <FailureNotice {...problem} />}
          <div class="row">
            <SubmitButton look="primary" busy={busy} disabled={lines.length < 2}>
              {busy ? "Comparing…" : `Compare ${lines.length}`}
            </SubmitButton>
            <CopyButton
              label="Copy as curl"
              read={() => writeCurl(location.origin, "/v1/embeddings", body)}
            />
            {lines.length < 2 && <span class="hint">Write at least two lines.</span>}
          </div>
        </form>
      }
      shown={shown}
      result={shown && <Similarity {...shown} />}
    />
  );
}

function Similarity({ lines, cosines, dimension, tokens, charged }: Shown) {
  return (
    <section class="card result" aria-label="Similarity">
      <SimilarityMap lines={lines} cosines={cosines} />
      <SimilarityTable lines={lines} cosines={cosines} />
      <p class="hint">
        {formatCount(dimension)} numbers a text, {formatCount(tokens)} tokens
        {charged !== null && `, ${formatCredits(Number(charged))} credits charged`}
      </p>
    </section>
  );
}
