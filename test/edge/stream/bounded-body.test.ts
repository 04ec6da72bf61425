// A host's response body is read up to a limit, with and without a declared length.
import { describe, expect, test } from "vitest";
import { boundBody } from "../../../edge/stream/bounded-body.ts";

/** Pieces of so many bytes; `cancelled` says whether the reader gave up. */
function source(...sizes: number[]) {
  const state = { cancelled: false };
  const left = [...sizes];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = left.shift();
      if (size === undefined) controller.close();
      else controller.enqueue(new Uint8Array(size).fill(0x61));
    },
    cancel() {
      state.cancelled = true;
    },
  });
  return { state, body };
}
const declaring = (bytes: number) => ({ headers: { "content-length": String(bytes) } });

describe("a body with a bound", () => {
  test.each([[[10]], [[4, 6]], [[1, 0, 9]], [[]]])("of pieces %j is read whole", async (sizes) => {
    const { body } = source(...sizes);
    const response = boundBody(new Response(body, { status: 418, headers: { "x-kept": "yes" } }), 10);
    expect([response.status, response.headers.get("x-kept")]).toEqual([418, "yes"]);
    expect(await response.text()).toBe("a".repeat(sizes.reduce((sum, size) => sum + size, 0)));
  });

  test.each([[[11]], [[10, 1]], [[4, 4, 4, 4]]])("of pieces %j is one byte too many", async (sizes) => {
    await expect(boundBody(new Response(source(...sizes).body), 10).text()).rejects.toThrow(RangeError);
  });

  test("that goes on behind the bound is cancelled at its source", async () => {
    const { state, body } = source(...Array<number>(100).fill(4));
    await expect(boundBody(new Response(body), 10).text()).rejects.toThrow(RangeError);
    expect(state.cancelled).toBe(true);
  });

  test("that declares more is refused before it is read", () => {
    const { state, body } = source(4, 4, 4);
    expect(() => boundBody(new Response(body, declaring(11)), 10)).toThrow(RangeError);
    expect(state.cancelled).toBe(true);
  });

  test("that was compressed is counted as unpacked, whatever it declared", async () => {
    const headers = { "content-length": "3", "content-encoding": "gzip" };
    const unpacked = new Response(source(4, 4, 4).body, { headers, encodeBody: "manual" });
    await expect(boundBody(unpacked, 10).arrayBuffer()).rejects.toThrow(RangeError);
  });

  test("that came in chunks is counted, whatever length stood beside", async () => {
    const headers = { "content-length": "3", "transfer-encoding": "chunked" };
    const chunked = new Response(source(4, 4, 4).body, { headers });
    await expect(boundBody(chunked, 10).text()).rejects.toThrow(RangeError);
  });

  test("that declares no more, or is none, is left as it is", () => {
    for (const length of [3, 10]) {
      const response = new Response("a".repeat(length), declaring(length));
      expect(boundBody(response, 10)).toBe(response);
    }
    const none = new Response(null, { status: 204 });
    expect(boundBody(none, 10)).toBe(none);
  });
});
