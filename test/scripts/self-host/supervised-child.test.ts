import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import {
  type ChildPlan,
  type SupervisedChild,
  superviseChild,
} from "../../../scripts/self-host/supervised-child.ts";
import { least } from "../../support/least-ms.ts";

const running: SupervisedChild[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.killNow();
    await child.stop();
  }
});

type Life = { script: string };

/** Runs `lives` one after the other (the last one again and again) and remembers what happened. */
function supervise(lives: Life[], plan: Partial<ChildPlan> = {}) {
  const processes: ChildProcess[] = [];
  const startedAt: number[] = [];
  const log: string[] = [];
  const pids: (number | undefined)[] = [];
  const child = superviseChild({
    name: "child",
    spawn: () => {
      const life = lives[Math.min(processes.length, lives.length - 1)]!;
      const started = spawn("sh", ["-c", life.script], { stdio: ["ignore", "pipe", "ignore"] });
      processes.push(started);
      startedAt.push(performance.now());
      return started;
    },
    ready: async (started) => void (await once(started.stdout!, "data")),
    stopGraceMs: 10_000,
    log: (line) => log.push(line),
    onChange: (pid) => pids.push(pid),
    ...plan,
  });
  running.push(child);
  return { child, processes, startedAt, log, pids };
}

const serves = { script: "echo ready; exec sleep 60" };
const fails = { script: "exit 3" };
const stubborn = { script: "trap '' TERM; echo ready; while :; do sleep 0.05; done" };

test("is started, and stopped on request", async () => {
  const { child, processes, pids } = supervise([serves]);
  await child.started;
  await child.stop();
  expect(processes.map(({ signalCode }) => signalCode)).toEqual(["SIGTERM"]);
  expect(pids.at(-1)).toBeUndefined();
});

test("is started again within a second when it is killed", async () => {
  const killOnce = async (): Promise<number> => {
    const { child, processes, startedAt, log } = supervise([serves]);
    await child.started;
    const died = once(processes[0]!, "exit").then(() => performance.now());
    processes[0]!.kill("SIGKILL");
    await expect
      .poll(() => log)
      .toEqual(["ended (SIGKILL, as the system does when memory runs out); starting it again", "is back"]);
    expect(processes).toHaveLength(2);
    return startedAt[1]! - (await died);
  };
  expect(await least(1_000, killOnce)).toBeLessThan(1_000);
});

test("a first life that fails is an error that says how it ended, and no second is tried", async () => {
  const { child, processes } = supervise([fails, serves]);
  await expect(child.started).rejects.toThrow("it ended before it was ready (code 3)");
  await sleep(200);
  expect(processes).toHaveLength(1);
});

test("a later life that fails is tried again, after a longer pause each time", async () => {
  const { child, processes, log } = supervise([serves, fails, fails, serves]);
  await child.started;
  processes[0]!.kill("SIGKILL");
  await expect.poll(() => log.at(-1)).toBe("is back");
  expect(log.filter((line) => line.startsWith("did not start"))).toHaveLength(2);
  expect(processes).toHaveLength(4);
});

test("a child that has run for ten seconds is started again as soon as one that never failed before", async () => {
  const restartOnce = async (): Promise<number> => {
    let aheadMs = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + aheadMs);
    const { child, processes, startedAt, log } = supervise([serves, fails, fails, fails, fails, serves]);
    await child.started;
    processes[0]!.kill("SIGKILL");
    await expect.poll(() => log.at(-1)).toBe("is back");
    aheadMs = 10_000;
    const killedAt = performance.now();
    processes[5]!.kill("SIGKILL");
    await expect.poll(() => startedAt.length).toBe(7);
    clock.mockRestore();
    return startedAt[6]! - killedAt;
  };
  // The pause after the fourth failure was 800 ms, and the next would be 1,600.
  expect(await least(800, restartOnce)).toBeLessThan(800);
});

test("a child that cannot even be spawned is an error", async () => {
  const { child } = supervise([], {
    spawn: () => spawn("/nonexistent/program"),
    ready: () => new Promise(() => undefined),
  });
  await expect(child.started).rejects.toThrow("ENOENT");
});

test("a child that is never ready is killed and reported", async () => {
  const { child, processes } = supervise([serves], {
    ready: () => Promise.reject(new Error("it did not answer")),
  });
  await expect(child.started).rejects.toThrow("it did not answer");
  expect(processes[0]!.signalCode).toBe("SIGKILL");
});

test("a child that ignores SIGTERM is killed after the grace", async () => {
  const { child, processes } = supervise([stubborn], { stopGraceMs: 300 });
  await child.started;
  await child.stop();
  expect(processes[0]!.signalCode).toBe("SIGKILL");
});

test("stop during the pause before a restart ends at once and starts nothing", async () => {
  const stopOnce = async (): Promise<number> => {
    const { child, processes } = supervise([serves, fails]);
    await child.started;
    processes[0]!.kill("SIGKILL");
    await expect.poll(() => processes.length).toBeGreaterThan(4);
    const before = performance.now();
    await child.stop();
    const tookMs = performance.now() - before;
    const count = processes.length;
    await sleep(300);
    expect(processes).toHaveLength(count);
    return tookMs;
  };
  // The pause after the fifth life is 800 ms.
  expect(await least(500, stopOnce)).toBeLessThan(500);
});

test("stop before the first life is ready ends it", async () => {
  const { child, processes } = supervise([{ script: "exec sleep 60" }]);
  await child.stop();
  await expect(child.started).rejects.toThrow("SIGTERM");
  expect(processes).toHaveLength(1);
});

test("a later spawn that throws is tried again: the binary is away while packages are replaced", async () => {
  let times = 0;
  let first: ChildProcess | undefined;
  const { child, log } = supervise([serves], {
    spawn: () => {
      times += 1;
      if (times === 2 || times === 3) throw new Error("node_modules/.bin/child is not there");
      const started = spawn("sh", ["-c", serves.script], { stdio: ["ignore", "pipe", "ignore"] });
      first ??= started;
      return started;
    },
  });
  await child.started;
  first!.kill();
  await expect
    .poll(() => log)
    .toEqual([
      "ended (SIGTERM); starting it again",
      "did not start: node_modules/.bin/child is not there",
      "did not start: node_modules/.bin/child is not there",
      "is back",
    ]);
});

test("a child that cannot be spawned the first time is a failed start", async () => {
  const { child } = supervise([serves], {
    spawn: () => {
      throw new Error("no binary");
    },
  });
  await expect(child.started).rejects.toThrow("no binary");
});
