import { afterAll, expect, test } from "vitest";

const limit = Error.stackTraceLimit;
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
