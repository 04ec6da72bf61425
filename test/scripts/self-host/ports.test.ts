// Which loopback ports the children of one machine get.
import { execFile } from "node:child_process";
import { type AddressInfo, createServer, type Server } from "node:net";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { startNodeFlags } from "../../../scripts/self-host/node-flags.ts";
import { portError, settlePort } from "../../../scripts/self-host/ports.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function take(port: number): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(port, "127.0.0.1", listening);
  });
  return (server.address() as AddressInfo).port;
}

/** A source of random numbers that gives these in turn, and then the last one again and again. */
const oneAfterTheOther = (numbers: number[]) => () => (numbers.length > 1 ? numbers.shift()! : numbers[0]!);

/** What another process is given whose random numbers are all `random`, by the time it has ended. */
async function settleInAnotherProcess(random: number): Promise<number> {
  const ports = new URL("../../../scripts/self-host/ports.ts", import.meta.url).href;
  const script = `const { settlePort } = await import(${JSON.stringify(ports)});
    console.log(await settlePort("DB_PORT", 0, () => ${random}));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...startNodeFlags,
    "--input-type=module",
    "--eval",
    script,
  ]);
  return Number(stdout);
}

describe("a port of our choice", () => {
  test("can be opened, and is below those that the system lends to outgoing connections", async () => {
    for (let round = 0; round < 50; round++) {
      const port = await settlePort("WORKER_PORT", 0);
      expect(port).toBeGreaterThanOrEqual(20_000);
      expect(port).toBeLessThan(32_768);
      expect(await take(port)).toBe(port);
    }
  });

  test("is another one when the first is taken", async () => {
    const taken = await settlePort("WORKER_PORT", 0, () => 0.5);
    await take(taken);
    expect(await settlePort("WORKER_PORT", 0, oneAfterTheOther([0.5, 0.5, 0.75]))).not.toBe(taken);
  });

  test("is nobody else's before anything listens on it", async () => {
    const claimed = await settlePort("WORKER_PORT", 0, () => 0.6);
    expect(await settlePort("DB_PORT", 0, oneAfterTheOther([0.6, 0.6, 0.8]))).not.toBe(claimed);
    const elsewhere = await settleInAnotherProcess(0.6);
    expect(elsewhere).toBeGreaterThan(0);
    expect(elsewhere).not.toBe(claimed);
  });

  test("is free again when the process that chose it has ended", async () => {
    const port = await settleInAnotherProcess(0.7);
    expect(await settlePort("WORKER_PORT", 0, () => 0.7)).toBe(port);
  });

  test("is any free one of the system when no other is found", async () => {
    await take(await settlePort("WORKER_PORT", 0, () => 0.25));
    const port = await settlePort("WORKER_PORT", 0, () => 0.25);
    expect(await take(port)).toBe(port);
  });
});

describe("a port of the operator's", () => {
  test("is kept", async () => {
    const wanted = await settlePort("DB_PORT", 0);
    expect(await settlePort("DB_PORT", wanted)).toBe(wanted);
  });

  test("is refused by its variable's name when it is taken", async () => {
    const taken = await take(0);
    await expect(settlePort("DB_PORT", taken)).rejects.toThrow(`DB_PORT: port ${taken} is already in use`);
  });
});

test("a port that cannot be opened for want of file handles is not reported as the port's fault", () => {
  const error = Object.assign(new Error("listen EMFILE"), { code: "EMFILE" });
  expect(portError("PORT", 8787, error).message).toMatch(/no file handle left.*ulimit -n/);
  expect(portError("PORT", 8787, error).message).not.toContain("another port");
});
