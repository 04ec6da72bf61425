import { afterAll, expect, test, vi } from "vitest";
import { createSigningKeys } from "../../shared/signature.ts";
import { databaseUrl } from "./support/database-url.ts";

const limit = Error.stackTraceLimit;
const realFetch = globalThis.fetch;
afterAll(() => {
  // For the test runner's own reports.
  Error.stackTraceLimit = limit;
});

/** What a reader of an answer gets whose connection breaks before its declared length. */
async function readBroken(): Promise<unknown> {
  const { readable, writable } = new FixedLengthStream(10);
  const writer = writable.getWriter();
  writer.write(new Uint8Array(4)).catch(() => {});
  writer.close().catch(() => {});
  return new Response(readable).text().catch((error: unknown) => error);
}

test("in the Worker an error has no frames: with them, that of a broken body would keep its request in memory", async () => {
  await import("../../edge/index.ts");
  const errors = [await readBroken(), new DOMException("aborted", "AbortError"), new TypeError("ours")];
  for (const error of errors) {
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).stack ?? "").not.toMatch(/\n\s+at /);
  }
});

test("a list of the aggregator's that is not given is a line for the operator: its prices stand still until it is", async () => {
  const { default: worker } = await import("../../edge/index.ts");
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const send = vi
    .spyOn(globalThis, "fetch")
    .mockImplementation((input, init) =>
      String(input).endsWith("/models")
        ? Promise.resolve(new Response("no", { status: 403 }))
        : realFetch(input, init),
    );
  const bindings = {
    LIBSQL_URL: databaseUrl,
    GPU_WORKER_URLS: "https://gpu.example.com",
    EDGE_SIGNING_KEY: JSON.stringify((await createSigningKeys()).privateJwk),
  };
  const onTheHour = { scheduledTime: Date.UTC(2026, 10, 23, 12) } as ScheduledController;
  await worker.scheduled(onTheHour, bindings, {} as ExecutionContext);
  send.mockRestore();
  const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)));
  log.mockRestore();
  expect(lines).toEqual([{ level: "warn", event: "catalogue_not_refreshed", reason: "refused, status 403" }]);
});
