/** gpu-workers: health, device, queue, and plans a second from two readings of their counters. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type OperatedWorker, readWorkers } from "../api/operator-wire.ts";
import { Card } from "../components/boxes/card.tsx";
import { DataTable } from "../components/boxes/data-table.tsx";
import { QueryState, useQuery } from "../components/query.tsx";
import { planRates, type Reading } from "./plan-rates.ts";

const everyMs = 5_000;

export function WorkersSection() {
  const { result, isSlow, ask, poll } = useQuery(readWorkers, []);
  const [rates, setRates] = useState<ReadonlyMap<string, number>>(new Map());
  const last = useRef<Reading | undefined>(undefined);
  useEffect(() => {
    const timer = setInterval(poll, everyMs);
    return () => clearInterval(timer);
  }, [poll]);
  useEffect(() => {
    if (!result?.ok) return;
    const reading = { workers: result.value.data, atMs: performance.now() };
    if (last.current !== undefined) setRates(planRates(last.current, reading));
    last.current = reading;
  }, [result]);
  return (
    <Card title="gpu-workers">
      <QueryState result={result} isSlow={isSlow} ask={ask} />
      {result?.ok && <WorkerTable workers={result.value.data} rates={rates} />}
    </Card>
  );
}

type WorkerTableProps = { workers: readonly OperatedWorker[]; rates: ReadonlyMap<string, number> };

function WorkerTable({ workers, rates }: WorkerTableProps) {
  return (
    <DataTable
      label="gpu-workers as a table"
      kind="numbers"
      columns={["Worker", "Health", "Device", "Sizes", "Checkpoint", "Waiting", "Plans a second"]}
      rows={workers.map((worker) => ({
        key: worker.url,
        head: <bdi>{worker.url}</bdi>,
        cells: [
          worker.healthy ? "healthy" : <strong>no answer</strong>,
          worker.device ?? "unknown",
          worker.sizes.join(", ") || "none",
          worker.checkpoint ?? "unknown",
          worker.queued ?? "unknown",
          rates.get(worker.url)?.toFixed(1) ?? "…",
        ],
      }))}
    />
  );
}
