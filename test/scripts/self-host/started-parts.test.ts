import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { startRelay } from "../../../scripts/self-host/relay/relay.ts";
import { untilLine } from "../../../scripts/self-host/spawn.ts";
import { Parts } from "../../../scripts/self-host/started-parts.ts";

test("a stop ends even if the disk takes no more writes", async () => {
  const parts = new Parts(() => {});
  const full = () => Promise.reject(Object.assign(new Error("read-only"), { code: "EROFS" }));
  parts.databaseLock = { nameServer: full, free: full };
  parts.record = { set: () => {}, setChild: () => {}, saved: full, remove: full };
  await expect(parts.stop()).resolves.toBeUndefined();
});

test("a stop kills after nine seconds what does not end when it is told to", async () => {
  const parts = new Parts(() => {});
  const stubborn = spawn("sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 0.05; done"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void stubborn.kill("SIGKILL"));
  await parts.add({
    name: "edge",
    stopGraceMs: 60_000,
    spawn: () => stubborn,
    ready: async ({ stdout }) => void (await once(stdout!, "data")),
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const stopped = parts.stop();
    await vi.advanceTimersByTimeAsync(9_000);
    await stopped;
  } finally {
    vi.useRealTimers();
  }
  expect(stubborn.signalCode).toBe("SIGKILL");
});

/** Acts as workerd does: on SIGTERM it lets its connections finish, and it settles those that are cut off. */
const edge = `
  const server = require("node:net").createServer((socket) => {
    socket.write("begun");
    socket.on("error", () => console.log("settled"));
    socket.on("close", () => socket.hadError || console.log("closed"));
  });
  process.on("SIGTERM", () => server.close(() => process.exit()));
  server.listen(0, "127.0.0.1", () => console.log("listening", server.address().port));`;

test("a stop cuts off what does not end by itself while the edge still lives, which can then settle it", async () => {
  const said: string[] = [];
  const parts = new Parts(() => {});
  const relay = await startRelay({ port: 0 });
  parts.relay = relay;
  await parts.add({
    name: "edge",
    stopGraceMs: 20_000,
    spawn: () => spawn(process.execPath, ["-e", edge], { stdio: ["ignore", "pipe", "inherit"] }),
    ready: async ({ stdout }) => {
      stdout!.on("data", (text) => said.push(String(text)));
      relay.setTarget(Number(await untilLine(stdout!, /^listening (\d+)/, 30_000)));
    },
  });
  const caller = connect(relay.port, "127.0.0.1").on("error", () => undefined);
  await once(caller, "data");
  await parts.stop();
  expect(said.join("")).toContain("settled");
});

test("a part that would come up after a stop is not started, as nothing would stop it any more", async () => {
  const parts = new Parts(() => {});
  await parts.stop();
  const start = vi.fn();
  const adding = parts.add({ name: "edge", stopGraceMs: 0, spawn: start, ready: async () => {} });
  await expect(adding).rejects.toThrow("stopped while starting.");
  expect(start).not.toHaveBeenCalled();
});
