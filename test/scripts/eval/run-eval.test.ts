import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { renderProgress, renderTable } from "../../../scripts/eval/render-table.ts";
import {
  type EvaluationFigures,
  type EvaluationOptions,
  runEvaluation,
} from "../../../scripts/eval/run-eval.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));
const command = fileURLToPath(new URL("../../../scripts/eval.ts", import.meta.url));

/** A folder of sets: a name ending in .gz is compressed, a value that is no text is written line by line. */
function createSets(files: Record<string, string | readonly unknown[]>): string {
  const directory = mkdtempSync(join(tmpdir(), "eval-"));
  for (const [name, rows] of Object.entries(files)) {
    const text = typeof rows === "string" ? rows : rows.map((row) => JSON.stringify(row)).join("\n");
    writeFileSync(join(directory, name), name.endsWith(".gz") ? gzipSync(text) : text);
  }
  return directory;
}

const weather = { name: "get_weather", description: "Get the weather forecast of a city" };
const flights = { name: "search_flights", description: "Search flights between two airports" };
const mail = { name: "send_email", description: "Send an e-mail to somebody" };
const asks = [
  ["Will it rain in Paris tomorrow?", "get_weather"],
  ["Find me a flight from Oslo to Rome", "search_flights"],
  ["Mail Anna that I am late", "send_email"],
] as const;

const shopSteps = ["search_product", "select_item", "add_to_cart", "checkout"];
const mailSteps = ["open_mail", "read_email", "reply"];
const shopRow = (thing: string, actions = shopSteps) => ({
  goal: `Buy ${thing}`,
  actions,
  steps: actions.map((action, step) => ({
    state: step === 0 ? "The shop is open." : `${thing}: step ${step} is done.`,
    action,
    next: `${thing}: step ${step + 1} is done.`,
  })),
});

async function run(
  files: Record<string, string | readonly unknown[]>,
  more: Partial<Pick<EvaluationOptions, "threads" | "maxRows">> = {},
) {
  const warnings: string[] = [];
  const progress: string[] = [];
  const figures = await runEvaluation({
    dataDir: createSets(files),
    checkpointDir,
    threads: 1,
    onProgress: (set, done, total) => progress.push(`${set} ${done}/${total}`),
    warn: (message) => warnings.push(message),
    ...more,
  });
  return { ...figures, warnings, progress };
}

/** The sets of most tests, measured in one run: each run loads the checkpoint anew. */
const tools = [weather, flights, mail];
const two = { goal: "Find a flight and mail it", actions: ["search_flights", "send_email"], tools };
const sample = {
  "family_own.jsonl": asks.map(([goal, name]) => ({ goal, state: "", actions: [name], tools })),
  "family_pool.jsonl.gz": asks.map(([goal, name]) => ({ goal, actions: [name], tool_pool: "three" })),
  "three_tools.json.gz": JSON.stringify(tools),
  "family_none.jsonl": [
    { goal: "Who painted the Mona Lisa?", actions: ["NONE"], tools: [weather] },
    { goal: "What is 3 times 7?", actions: ["NONE"], tools: [mail] },
  ],
  "two.jsonl": [two, two],
  "linked.jsonl": [{ ...two, links: [{ source: "send_email", target: "search_flights" }] }],
  "chat.jsonl": [
    { ...two, goal: "user: Find a flight. system: Where to? user: To Rome, and mail it to me." },
  ],
  "steps.jsonl": [shopRow("a lamp"), { ...shopRow("a pen"), tools: [mail] }],
  "actions.jsonl": [
    { goal: "Buy a lamp", actions: shopSteps },
    { goal: "Search", actions: ["search"] },
  ],
  "single.jsonl": [{ goal: "Search", actions: ["search"] }],
  "shop.jsonl": Array.from({ length: 40 }, (_, index) =>
    shopRow(`a ${index % 7} blue lamp number ${index}`, index % 3 === 0 ? mailSteps : shopSteps),
  ),
  // More rows than one part of the work takes, so that two threads share them; few different texts, so that it is quick.
  "parts.jsonl": Array.from({ length: 100 }, (_, index) => ({
    goal: `Buy ${index % 7} lamps`,
    actions: shopSteps,
  })),
  "odd.jsonl": [
    '{"goal": "Just a goal"}',
    '{"goal": null, "actions": ["search"]}',
    '{"goal": "Find it", "state": null, "actions": ["search"], "tools": null, "steps": null}',
    '{"goal": "Find it", "actions": ["unknown_tool"], "tools": [{"name": "a", "description": null}]}',
    '{"goal": "Find it", "steps": [{"action": "search", "state": null, "next": null}]}',
    "not JSON",
    "",
  ].join("\n"),
  "poolless.jsonl": [{ goal: "Find it", actions: ["a"], tool_pool: "nowhere" }],
  "empty.jsonl": "",
};

describe("an evaluation", () => {
  let measured: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    measured = await run(sample);
  });

  it("measures tools of the row, of a pool beside it, and rows where none fits", () => {
    const { sets, progress } = measured;
    const share = expect.any(Number);
    expect(sets.family_own).toEqual({ n: 3, tool_top1: share, tool_recall: share, tool_ndcg10: share });
    expect(sets.family_pool).toEqual(sets.family_own);
    expect(sets.family_none).toEqual({ n: 2, irrelevance_auroc: share });
    expect(progress).toContain("family_own 3/3");
  });

  it("measures whole plans of calls where rows have two or more, and what is next after each beginning", () => {
    const keys = [
      "tools_node_f1",
      "tools_edge_f1",
      "tools_lcs_f1",
      "tools_next_top1",
      "tools_next_stops",
    ] as const;
    for (const name of ["two", "linked", "chat"]) {
      for (const key of keys) {
        expect(measured.sets[name]![key], key).toBeGreaterThanOrEqual(0);
        expect(measured.sets[name]![key], key).toBeLessThanOrEqual(1);
      }
    }
    expect(measured.sets.two).not.toHaveProperty("plan_lcs_f1");
  });

  it("measures whole plans where rows have two or more actions and no tools, or have steps", () => {
    for (const name of ["steps", "actions"]) {
      const { plan_lcs_f1, plan_exact, plan_first, plan_length_ratio, plan_mid_lcs_f1 } =
        measured.sets[name]!;
      for (const share of [plan_lcs_f1, plan_exact, plan_first, plan_mid_lcs_f1]) {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
      }
      expect(plan_length_ratio).toBeGreaterThanOrEqual(0);
    }
    expect(measured.sets.single).not.toHaveProperty("plan_lcs_f1");
  });

  it("measures policy, dynamics and rollouts of rows with steps", () => {
    const shop = measured.sets.shop!;
    expect(shop).toMatchObject({ n: 40, action_nats: expect.any(Number) });
    expect(Object.keys(shop.goal_auroc!)).toEqual(["truncated", "shuffled", "random", "other"]);
    for (const value of [
      shop.action_top1,
      shop.action_top5,
      shop.action_ece,
      shop.next_state_at_100,
      shop.copy_state_at_100,
      shop.goal_at_100,
      shop.goal_auroc!.truncated,
    ]) {
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
    }
    expect(Math.abs(shop.change_spearman!)).toBeLessThanOrEqual(1);
  });

  it("copes with missing fields, broken lines, pools that are not there, and empty sets", () => {
    const { sets, warnings } = measured;
    expect(sets.odd).toMatchObject({ n: 4, action_nats: expect.any(Number) });
    expect(sets.odd).not.toHaveProperty("tool_top1");
    expect(sets.empty).toEqual({ n: 0 });
    expect(sets).not.toHaveProperty("poolless");
    expect(warnings).toEqual([
      expect.stringContaining("odd.jsonl: 2 lines"),
      expect.stringContaining("poolless.jsonl is left out"),
    ]);
  });

  it("gives the same figures each time, on one thread and on two", async () => {
    expect((await run(sample, { threads: 2 })).sets).toEqual(measured.sets);
  });

  it("measures fewer rows of a set where told so", async () => {
    const { sets } = await run({ "parts.jsonl": sample["parts.jsonl"] }, { maxRows: 5 });
    expect(sets.parts!.n).toBe(5);
  });

  it("refuses a folder without sets", async () => {
    await expect(run({ "notes.txt": "" })).rejects.toThrow("no *.jsonl");
  });
});

describe("the command", () => {
  const runCommand = promisify(execFile);

  it("prints one JSON object and nothing else with --json", async () => {
    const directory = createSets({
      "tiny.jsonl": [{ goal: asks[0][0], actions: [asks[0][1]], tools: [weather, mail] }],
    });
    const { stdout, stderr } = await runCommand(process.execPath, [command, directory, "--json"]);
    const share = expect.any(Number);
    expect(JSON.parse(stdout)).toEqual({
      sets: { tiny: { n: 1, tool_top1: share, tool_recall: share, tool_ndcg10: share } },
    });
    expect(stderr).toBe("");
  });

  it.each([
    ["no folder", [], 2, "usage"],
    ["an unknown option", [".", "--fast"], 2, "usage"],
    ["a number of rows that is none", [".", "--max-rows", "few"], 2, "usage"],
    ["a folder that is not there", ["/nowhere/at/all"], 1, "ENOENT"],
  ])("ends with a word about %s", async (_name, given, code, hint) => {
    const failed = await runCommand(process.execPath, [command, ...given]).catch((error) => error);
    expect(failed).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(hint) });
  });
});

describe("for people", () => {
  const figures: EvaluationFigures = {
    sets: { one: { n: 3, tool_top1: 1 }, another: { n: 12, action_nats: 1.23456 } },
  };

  it("the table has a column for what some set has, and a blank where one has not", () => {
    expect(renderTable(figures).split("\n")).toEqual([
      "set       n  tool top-1   nats",
      "one       3       1.000",
      "another  12              1.235",
      "",
    ]);
  });

  it("the bar fills", () => {
    expect(renderProgress("x", 0, 10)).toMatch(/^\[\.{24}\] {3}0 % {2}x$/);
    expect(renderProgress("x", 10, 10)).toMatch(/^\[#{24}\] 100 % {2}x$/);
    expect(renderProgress("x", 0, 0)).toContain("100 %");
  });
});
