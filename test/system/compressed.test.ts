// Long texts that are the same for everybody leave the real service as gzip, where the client takes it.
import { get } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service?.stop());

/** The body's bytes as they are sent: fetch would decode them. */
const download = (path: string, headers: Record<string, string>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { headers: { ...headers, "x-api-key": service.demoKey } };
    get(`${service.url}${path}`, options, async (response) => {
      const pieces: Buffer[] = [];
      for await (const piece of response) pieces.push(piece);
      resolve(Buffer.concat(pieces));
    }).on("error", reject);
  });

test.each(["/", "/docs/plans", "/openapi.json", "/v1/models"])(
  "%s takes half the bytes at most, and is the same text",
  async (path) => {
    const plain = await download(path, {});
    const packed = await download(path, { "accept-encoding": "gzip, br" });
    expect(gunzipSync(packed).equals(plain)).toBe(true);
    expect(packed.length * 2).toBeLessThan(plain.length);
  },
);
