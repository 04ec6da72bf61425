import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { PlanResponse } from "../../shared/planning.ts";
import { WorkerHealth } from "../../shared/worker-health.ts";
import type { Task } from "../../shared/worker-tasks.ts";
import { launch } from "./support/process.ts";
import { planRequest } from "./support/worker.ts";

// It loads the real checkpoint.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let worker: Awaited<ReturnType<typeof launch>>;
beforeAll(async () => {
  worker = await launch(fileURLToPath(new URL("../../gpu-worker/main.ts", import.meta.url)));
});
afterAll(() => void worker.process.kill("SIGKILL"));

async function planned(goal: string) {
  return PlanResponse.parse(await (await worker.plan(planRequest(goal))).json());
}

describe("the real worker", () => {
  it("has the checkpoint of base, warm, when it says that it listens", async () => {
    const health = WorkerHealth.parse(await (await fetch(`${worker.url}/health`)).json());
    expect(health).toMatchObject({ sizes: ["base"], brain: { num_actions: 903 } });
    expect(health.brain.checkpoint).not.toContain("/");
  });

  it("says once for all its threads, in the log's own form, where it has no CUDA", () => {
    const lines = worker.output.err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const { device } = lines.find(({ event }) => event === "loaded");
    expect(lines.filter(({ event }) => event === "no CUDA")).toHaveLength(device === "cpu" ? 1 : 0);
  });

  it("plans two goals differently", async () => {
    const [one, other] = await Promise.all(
      ["open the fridge and take the milk", "search the web for train tickets to Rome"].map(planned),
    );
    expect(one!.tokens).toBeGreaterThan(0);
    const names = (plan: PlanResponse) => plan.steps.map((step) => step.actionName);
    expect(names(one!)).not.toEqual(names(other!));
  });

  it("gives every task the same actions and numbers alone and among 64 at once", async () => {
    const tasks = Array.from({ length: 64 }, (_, index) => crowdTask(index));
    const answer = async (task: Task) => {
      const response = await worker.ask(task);
      expect(response.status).toBe(200);
      return readable(await response.json());
    };
    const together = await Promise.all(tasks.map(answer));
    for (const place of [0, 1, 2, 3, 4, 31, 63]) {
      expectClose(await answer(tasks[place]!), together[place]!);
    }
  });

  it("embeds a text the same alone and among a hundred", async () => {
    const texts = Array.from(
      { length: 100 },
      (_, index) => `${"a quiet hotel near the river ".repeat(index % 7)}${index}`,
    );
    const embed = async (some: string[]) => {
      const response = await worker.ask({ name: "embed", request: { size: "base", texts: some } });
      return readable(await response.json()).vectors as number[][];
    };
    const together = await embed(texts);
    for (const place of [0, 6, 50, 99]) expectClose(await embed([texts[place]!]), [together[place]!]);
  });

  it("exits 0 on SIGTERM", async () => {
    worker.process.kill("SIGTERM");
    expect(await worker.exited).toBe(0);
  });
});

const tools = [
  { name: "search_hotels", description: "Search hotels in a city" },
  { name: "book_hotel", description: "Book a hotel room that was found" },
  { name: "send_email", description: "Send an e-mail" },
];

/** One of five kinds of work, by turns, each with words of its own. */
function crowdTask(index: number): Task {
  const goal = `Find a hotel in town ${index}, book it and tell Anna`;
  const history = [{ action: "search_hotels", observation: `${index} hotels were found` }];
  const kinds: Task[] = [
    { name: "plan", request: planRequest(goal) },
    { name: "plan", request: planRequest(goal, { tools, history }) },
    { name: "rollout", request: { size: "base", goal, maxSteps: 5 } },
    {
      name: "rollout",
      request: { size: "base", goal, maxSteps: 5, actions: [10, 30, 57, (index * 13) % 903] },
    },
    { name: "embed", request: { size: "base", texts: [goal, "a state"] } },
  ];
  return kinds[index % kinds.length]!;
}

type Answer = Record<string, unknown>;

/** An answer without its timings, its vectors as numbers. */
function readable(answer: unknown): Answer {
  const { timings: _, vectors, ...rest } = answer as Answer & { vectors?: string[] };
  const floats = vectors?.map((text) => {
    const bytes = Buffer.from(text, "base64");
    return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
  });
  return { ...rest, ...(floats && { vectors: floats }) };
}

/** Equal but for numbers, which may differ by less than 1e-4. */
function expectClose(found: unknown, expected: unknown): void {
  if (typeof expected === "number") {
    expect(Math.abs((found as number) - expected)).toBeLessThan(1e-4);
  } else if (typeof expected !== "object" || expected === null) {
    expect(found).toEqual(expected);
  } else {
    expect(Object.keys(found as object)).toEqual(Object.keys(expected));
    for (const [key, value] of Object.entries(expected)) expectClose((found as Answer)[key], value);
  }
}
