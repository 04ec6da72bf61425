/** Failures by kind: of all requests if one process serves them, of one isolate's on Workers. */
import { type CountedErrors, readErrors } from "../api/operator-wire.ts";
import { Card } from "../components/boxes/card.tsx";
import { DataTable } from "../components/boxes/data-table.tsx";
import { formatCount, formatMoment } from "../components/format.ts";
import { QueryState, useQuery } from "../components/query.tsx";

export function ErrorsSection() {
  const { result, isSlow, ask } = useQuery(readErrors, []);
  return (
    <Card
      title="Errors"
      controls={
        <button type="button" class="small" onClick={ask}>
          Refresh
        </button>
      }
    >
      <QueryState result={result} isSlow={isSlow} ask={ask} />
      {result?.ok && <Scope counted={result.value} />}
      {result?.ok && result.value.data.length === 0 && <p class="empty">No request has failed.</p>}
      {result?.ok && result.value.data.length > 0 && <ErrorTable counted={result.value} />}
    </Card>
  );
}

/** Which requests the figures cover. */
function Scope({ counted: { since, whole, requests } }: { counted: CountedErrors }) {
  const figures = <a href="/docs/operating#watching-it">where all figures are</a>;
  if (whole)
    return (
      <p class="hint">
        Of {formatCount(requests)} requests since the service started, {formatMoment(since)}. Over time, with
        times and providers: {figures}.
      </p>
    );
  return (
    <p class="hint">
      Of {formatCount(requests)} requests of the one isolate that answered this, since {formatMoment(since)}.
      Cloudflare runs many of them, each for a while: {figures}.
    </p>
  );
}

function ErrorTable({ counted: { data, requests } }: { counted: CountedErrors }) {
  const share = (count: number) => `${((100 * count) / Math.max(requests, count)).toFixed(1)}%`;
  return (
    <DataTable
      label="Errors as a table"
      kind="numbers"
      columns={["Kind", "Requests", "Share"]}
      rows={data.map(({ code, status, count }) => ({
        key: code,
        head: (
          <>
            <code>{code}</code>
            <span class="badge">{status}</span>
          </>
        ),
        cells: [formatCount(count), share(count)],
      }))}
    />
  );
}
