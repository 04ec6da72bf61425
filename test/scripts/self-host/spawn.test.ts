import { once } from "node:events";
import { createServer } from "node:http";
import { PassThrough, type Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { edgeVariableNames } from "../../../scripts/self-host/edge-variables.ts";
import {
  spawnChild,
  untilHealthy,
  untilLine,
  withoutEdgeVariables,
} from "../../../scripts/self-host/spawn.ts";
import { listenOnLoopback } from "../../support/loopback.ts";

const run = (script: string, log: string[] = [], env: Record<string, string> = {}) =>
  spawnChild({
    name: "part",
    command: "/bin/sh",
    arguments: ["-c", script],
    env,
    stdio: ["ignore", "pipe", "pipe"],
    log: (line) => log.push(line),
  });

test("every line of both streams is logged under the child's name, whole and without control characters", async () => {
  const log: string[] = [];
  const child = run("printf 'on'; sleep 0.1; printf 'e\\n\\n'; printf '\\033[31mtwo\\033[0m\\n' >&2", log);
  await once(child, "close");
  expect(log.sort()).toEqual(["[part] one", "[part] two"]);
});

test("a child sees the environment it was given and nothing else", async () => {
  const log: string[] = [];
  await once(run('echo "$GIVEN-$HOME"', log, { GIVEN: "yes" }), "close");
  expect(log).toEqual(["[part] yes-"]);
});

test("a child is in a process group of its own, so that Ctrl-C does not reach it", async () => {
  const child = run("exec sleep 60");
  expect(() => process.kill(-child.pid!, 0)).not.toThrow();
  child.kill("SIGKILL");
});

test.each(edgeVariableNames)(
  "%s is taken out of what a child beside the edge inherits, the rest stays",
  (name) => {
    expect(withoutEdgeVariables({ [name]: "a", PATH: "/bin", EDGE_PUBLIC_KEYS: "{}" })).toEqual({
      PATH: "/bin",
      EDGE_PUBLIC_KEYS: "{}",
    });
  },
);

test("the line that was waited for gives its first group", async () => {
  const child = run("echo starting; echo listening http://127.0.0.1:5; exec sleep 60");
  expect(await untilLine(child.stdout as Readable, /^listening (\S+)/, 30_000)).toBe("http://127.0.0.1:5");
  child.kill("SIGKILL");
});

test("a line that does not come is an error after the time limit", async () => {
  const child = run("exec sleep 60");
  await expect(untilLine(child.stdout as Readable, /^listening/, 100)).rejects.toThrow("within 0.1 s");
  child.kill("SIGKILL");
});

test("the wait for a line leaves no timer behind once the line has come, or the stream has ended without it", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const [goesOn, ends] = [new PassThrough(), new PassThrough()];
    const line = untilLine(goesOn, /^listening (\S+)/, 30_000);
    void untilLine(ends, /^listening/, 30_000);
    expect(vi.getTimerCount()).toBe(2);
    goesOn.write("listening here\n");
    expect(await line).toBe("here");
    expect(vi.getTimerCount()).toBe(1);
    ends.end();
    await once(ends, "close");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a clock that is set a day ahead does not end the wait for a child's health", async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    vi.setSystemTime(Date.now() + 86_400_000);
    response.writeHead(++asked < 3 ? 503 : 200).end();
  });
  const { url, stop } = await listenOnLoopback(server);
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    await untilHealthy(url, 30_000);
    expect(asked).toBe(3);
  } finally {
    vi.useRealTimers();
    await stop();
  }
});
