import { expect, test } from "vitest";
import { createSealer, SealError } from "../../../edge/vault/seal.ts";

test("a sealed text has one form: with stray bits in its last character it is refused, though it has the same bytes", async () => {
  const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const sealer = createSealer([{ id: "k1", bytes: new Uint8Array(32).fill(1) }], randomBytes);
  const context = { accountId: "acct_1", name: ["provider-key"] };
  // 12 bytes, 1 and 16: the last of the 39 characters holds four bits, and two that are nothing.
  const sealed = await sealer.seal(context, new Uint8Array([7]));
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = digits.indexOf(sealed.at(-1)!);
  const others = [1, 2, 3].map((stray) => sealed.slice(0, -1) + digits[last + stray]);
  expect([...(await sealer.open(context, sealed))]).toEqual([7]);
  for (const other of others)
    await expect(sealer.open(context, other)).rejects.toEqual(new SealError("malformed"));
});
