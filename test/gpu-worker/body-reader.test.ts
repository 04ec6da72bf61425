// The bound on bodies, to the byte, for a length that is declared and for one that is not.
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createBodyReader } from "../../gpu-worker/body-reader.ts";

const maxBytes = 100;

/** What a reader makes of a body of this many bytes: its length, or the refusal's code. */
async function readBodyOf(bytes: number, isDeclared: boolean, isSent = true): Promise<number | string> {
  const reader = createBodyReader(maxBytes);
  const { promise, resolve } = Promise.withResolvers<number | string>();
  const server = createServer((incoming, response) => {
    reader
      .read(incoming, "nonce")
      .then(
        ({ length }) => resolve(length),
        ({ code }) => resolve(code),
      )
      .finally(() => response.end());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const headers = isDeclared ? { "content-length": bytes } : { "transfer-encoding": "chunked" };
  const sent = request({ port, host: "127.0.0.1", method: "POST", headers });
  sent.on("error", () => {});
  if (isSent) sent.end(Buffer.alloc(bytes));
  else sent.flushHeaders();
  const read = await promise;
  server.closeAllConnections();
  server.close();
  return read;
}

it.each([
  ["as many bytes as it may have", maxBytes, true, maxBytes],
  ["one more", maxBytes + 1, true, "request_too_large"],
  ["as many, in chunks", maxBytes, false, maxBytes],
  ["one more, in chunks", maxBytes + 1, false, "request_too_large"],
])("a body of %s", async (_name, bytes, isDeclared, expected) => {
  expect(await readBodyOf(bytes, isDeclared)).toBe(expected);
});

it("a body that is declared too large is refused before any of it comes", async () => {
  expect(await readBodyOf(maxBytes + 1, true, false)).toBe("request_too_large");
});
