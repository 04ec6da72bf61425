/** Margins of the pool by day and model, as in `npm run admin -- ledger reconcile`; losses and flags are highlighted. */
import { type BookedDay, readBooks } from "../api/operator-wire.ts";
import { Card } from "../components/boxes/card.tsx";
import { DataTable } from "../components/boxes/data-table.tsx";
import { Notice } from "../components/boxes/notice.tsx";
import { formatCount, formatCredits } from "../components/format.ts";
import { QueryState, useQuery } from "../components/query.tsx";

export function BooksSection() {
  const { result, isSlow, ask } = useQuery(readBooks, []);
  return (
    <Card
      title="Margins of 30 days"
      controls={
        <button type="button" class="small" onClick={ask}>
          Refresh
        </button>
      }
    >
      <p class="hint">
        In credits, of which one is 1 US dollar: what callers of the pool were charged, and what the
        aggregator says it took. Flagged requests are those whose usage was not believed as it came.
      </p>
      <QueryState result={result} isSlow={isSlow} ask={ask} />
      {result?.ok && !result.value.ok && (
        <Notice kind="error">On some days the aggregator took more than callers were charged.</Notice>
      )}
      {result?.ok && result.value.days.length === 0 && (
        <p class="empty">The pool has served nothing in these days.</p>
      )}
      {result?.ok && result.value.days.length > 0 && <BooksTable days={result.value.days} />}
    </Card>
  );
}

function BooksTable({ days }: { days: readonly BookedDay[] }) {
  return (
    <DataTable
      label="Margins as a table"
      kind="numbers"
      columns={["Day and model", "Requests", "Charged", "Cost", "Margin", "Flagged"]}
      rows={days.map((row) => ({
        key: `${row.day} ${row.model}`,
        head: (
          <>
            {row.day} <bdi>{row.model}</bdi>
          </>
        ),
        cells: [
          formatCount(row.requests),
          formatCredits(row.charged),
          formatCredits(row.reported_cost),
          row.margin < 0 ? <strong>{formatCredits(row.margin)}</strong> : formatCredits(row.margin),
          formatCount(row.flagged),
        ],
      }))}
    />
  );
}
