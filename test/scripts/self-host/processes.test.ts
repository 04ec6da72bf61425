import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { parentOf, recordByPs, recordProcess, signal } from "../../../scripts/self-host/processes.ts";
import { spawnSleep } from "./support/spawn-sleep.ts";

// By /proc, and by ps, as on macOS, which has no /proc.
test.each([
  ["/proc", recordProcess],
  ["ps", recordByPs],
])("a process is known by its start and command line, until it has ended: %s", async (_how, record) => {
  const child = await spawnSleep();
  const first = await record(child.pid!);
  expect(first).toMatchObject({ pid: child.pid, commandLine: expect.stringMatching(/sleep.60/) });
  expect(first!.startTicks).not.toBe("");
  expect(await record(child.pid!)).toEqual(first);
  expect((await record(process.pid))?.startTicks).not.toBe("");
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await record(child.pid!)).toBeUndefined();
});

test("the parent of a child is this process", async () => {
  const child = await spawnSleep();
  expect(await parentOf(child.pid!)).toBe(process.pid);
  child.kill("SIGKILL");
});

test.each([
  ["/proc", recordProcess],
  ["ps", recordByPs],
])(
  "a process that has ended counts as none, although its parent has not collected it: %s",
  async (_how, record) => {
    // The shell becomes a `sleep`, which collects no child.
    const parent = spawn("sh", ["-c", "sleep 60 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void parent.kill("SIGKILL"));
    const pid = Number(String((await once(parent.stdout, "data"))[0]));
    // Until then the shell itself would collect it.
    await expect.poll(async () => (await record(parent.pid!))?.commandLine).toMatch(/^sleep.60/);
    signal(pid, "SIGKILL");
    await expect.poll(() => record(pid)).toBeUndefined();
    expect(() => process.kill(pid, 0)).not.toThrow();
  },
);
