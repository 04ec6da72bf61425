/** Usage and its cost, by day, model or key, over a range of days: chart, table, CSV. */
import { useState } from "preact/hooks";
import { listApiKeys, readUsage, type Usage, type UsageGroup, usageGroups } from "../api/account-wire.ts";
import { Card } from "../components/boxes/card.tsx";
import { DataTable } from "../components/boxes/data-table.tsx";
import { formatCount, formatCredits } from "../components/format.ts";
import { QueryState, useQuery } from "../components/query.tsx";
import { writeCsv } from "./csv.ts";
import { lastDays } from "./days.ts";
import { byCredits, UsageChart } from "./usage-chart.tsx";

const ranges = [7, 30, 90];

export function UsageSection() {
  const [group, setGroup] = useState<UsageGroup>("day");
  const [days, setDays] = useState(30);
  const query = useQuery(() => readUsage(lastDays(days, Date.now()), group), [group, days]);
  const usage = query.result?.ok ? query.result.value : undefined;
  const keys = useQuery(listApiKeys, []).result;
  const names = new Map(keys?.ok ? keys.value.data.map((key) => [key.id, key.name]) : []);
  // A session of the console spends under an id of its own, which is no key that anybody made.
  const nameOf = (name: string) => names.get(name) ?? (name.startsWith("console_") ? "this console" : name);
  return (
    <Card
      title="Usage"
      controls={
        <div class="row">
          <label class="inline">
            By{" "}
            <select value={group} onChange={(event) => setGroup(event.currentTarget.value as UsageGroup)}>
              {usageGroups.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label class="inline">
            Last{" "}
            <select value={days} onChange={(event) => setDays(Number(event.currentTarget.value))}>
              {ranges.map((count) => (
                <option key={count} value={count}>
                  {count} days
                </option>
              ))}
            </select>
          </label>
          {/* There from the beginning: a button that came later would move the fields before it. */}
          <button
            type="button"
            class="small"
            disabled={!usage?.data.length}
            onClick={() => usage && downloadCsv(usage, nameOf)}
          >
            Download CSV
          </button>
        </div>
      }
    >
      <div class="usage">
        <QueryState {...query} />
        {usage && <UsageOf usage={usage} nameOf={nameOf} />}
      </div>
    </Card>
  );
}

type UsageProps = { usage: Usage; nameOf: (group: string) => string };

function UsageOf(props: UsageProps) {
  const { data, group_by: group } = props.usage;
  if (data.length === 0)
    return (
      <p class="empty">
        Nothing was used in these days. What a request costs appears here when it is settled.
      </p>
    );
  return (
    <>
      <UsageSum {...props} />
      <UsageChart {...props} />
      {group === "day" ? (
        // Collapsed: ninety rows would make the rest of the page hard to reach, and the chart shows the same.
        <details>
          <summary>As a table</summary>
          <UsageTable {...props} />
        </details>
      ) : (
        <UsageTable {...props} />
      )}
    </>
  );
}

function UsageSum({ usage: { data } }: Pick<UsageProps, "usage">) {
  const sumOf = (field: "requests" | "prompt_tokens" | "completion_tokens" | "credits") =>
    data.reduce((sum, row) => sum + row[field], 0);
  const requests = sumOf("requests");
  return (
    <p class="hint">
      <strong>{formatCredits(sumOf("credits"))}</strong> credits for {formatCount(requests)}{" "}
      {requests === 1 ? "request" : "requests"}, {formatCount(sumOf("prompt_tokens"))} tokens in,{" "}
      {formatCount(sumOf("completion_tokens"))} out
    </p>
  );
}

/** Ten thousand rows take a phone half a minute to lay out. */
const maxRows = 100;

function UsageTable({ usage, nameOf }: UsageProps) {
  const { data, group_by: group } = usage;
  const rows = group === "day" ? data : byCredits(usage).slice(0, maxRows);
  return (
    <>
      <DataTable
        label="Usage as a table"
        kind="numbers"
        columns={[
          group[0]!.toUpperCase() + group.slice(1),
          "Requests",
          "Tokens in",
          "Tokens out",
          "Planning",
          "Credits",
        ]}
        rows={rows.map((row) => ({
          key: row.group,
          head: <bdi>{nameOf(row.group)}</bdi>,
          cells: [
            formatCount(row.requests),
            formatCount(row.prompt_tokens),
            formatCount(row.completion_tokens),
            formatCount(row.planning_tokens),
            formatCredits(row.credits),
          ],
        }))}
      />
      {rows.length < data.length && (
        <p class="hint">
          The {formatCount(maxRows)} that cost most, of {formatCount(data.length)}: the CSV file has all.
        </p>
      )}
    </>
  );
}

/** Without it Excel reads a file in the code page of its country, and a name with an umlaut wrongly. */
const byteOrderMark = "\uFEFF";

/** Downloads a file made in the page: nothing is sent anywhere. */
function downloadCsv({ data, from, to, group_by: group }: Usage, nameOf: (group: string) => string): void {
  const csv = writeCsv(group, data, group === "key" ? nameOf : undefined);
  const url = URL.createObjectURL(new Blob([byteOrderMark, csv], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `svc-usage-by-${group}-${from}-${to}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
