/** What a signed request must survive and what must be refused: one table, run in workerd and in Node. */
import { describe, expect, it } from "vitest";
import { createReplayGuard } from "../../shared/replay-guard.ts";
import {
  createSigner,
  createSigningKeys,
  createVerifier,
  PublicJwks,
  type SignInput,
  type VerifyRefusal,
} from "../../shared/signature.ts";

const now = Date.UTC(2026, 0, 1);
const audience = "https://worker.example";
const signed: SignInput = {
  audience: ["svc-gpu-worker", audience],
  method: "POST",
  path: "/plan",
  body: '{"goal":"book a table"}',
  now,
  nonce: "nonce-1",
};

async function setUpWith(
  hashBody: ((body: Uint8Array | string) => string) | undefined,
  options: { capacity?: number; maxClockSkewMs?: number },
) {
  const keys = await createSigningKeys();
  const signer = await createSigner(keys);
  const verifier = await createVerifier({
    jwks: keys.publicJwks,
    audience,
    replay: createReplayGuard(options.capacity === undefined ? {} : { capacity: options.capacity }),
    maxClockSkewMs: options.maxClockSkewMs ?? 5_000,
    ...(hashBody && { hashBody }),
  });
  return { keys, signer, verifier };
}

type Received = { method: string; path: string; body: Uint8Array | string; now: number };
const received: Received = { method: "POST", path: "/plan", body: '{"goal":"book a table"}', now };

const refusals: [string, { sign?: Partial<SignInput>; receive?: Partial<Received> }, VerifyRefusal][] = [
  ["another body", { receive: { body: '{"goal":"book a fable"}' } }, "wrong-body"],
  ["an empty body", { receive: { body: "" } }, "wrong-body"],
  ["another path", { receive: { path: "/embed" } }, "wrong-path"],
  ["a path with a query added", { receive: { path: "/plan?x=1" } }, "wrong-path"],
  ["another method", { receive: { method: "PUT" } }, "wrong-method"],
  [
    "another worker's audience",
    { sign: { audience: ["svc-gpu-worker", "https://other.example"] } },
    "wrong-audience",
  ],
  [
    "an audience that only begins alike",
    { sign: { audience: `${audience}.evil.example` } },
    "wrong-audience",
  ],
  ["a token past its 30 s and the clocks' tolerance", { receive: { now: now + 35_000 } }, "expired"],
  ["a token without a nonce", { sign: { nonce: "" } }, "malformed"],
  ["a token with a nonce too long to be remembered", { sign: { nonce: "n".repeat(129) } }, "malformed"],
  ["a pseudonym too long to be one", { sign: { share: "s".repeat(65) } }, "malformed"],
  ["a token from a clock too far ahead", { receive: { now: now - 6_000 } }, "not-yet-valid"],
];

const garbage = [
  "",
  ".",
  "..",
  "a.b.c",
  "e30.e30.e30",
  "null",
  "eyJhbGciOiJub25lIn0.e30.",
  "x".repeat(100_000),
  "🙂.🙂.🙂",
];

/** `hashBody`: what the runtime's verifier uses instead of WebCrypto. */
export function describeSignature(runtime: string, hashBody?: (body: Uint8Array | string) => string): void {
  const setUp = (options: { capacity?: number; maxClockSkewMs?: number } = {}) =>
    setUpWith(hashBody, options);
  describe(`a signed request, in ${runtime}`, () => {
    it("is accepted as it was signed, from bytes as from text", async () => {
      const { signer, verifier } = await setUp();
      const asText = await signer.sign({ ...signed, share: "pseudonym" });
      expect(await verifier.verify({ token: asText, ...received })).toMatchObject({
        ok: true,
        value: { nonce: "nonce-1", share: "pseudonym" },
      });
      const asBytes = await signer.sign({ ...signed, nonce: "nonce-2" });
      const body = new TextEncoder().encode(received.body as string);
      expect(await verifier.verify({ token: asBytes, ...received, body })).toMatchObject({ ok: true });
    });

    it.each(refusals)("is refused with %s", async (_name, { sign, receive }, reason) => {
      const { signer, verifier } = await setUp();
      const token = await signer.sign({ ...signed, ...sign });
      expect(await verifier.verify({ token, ...received, ...receive })).toEqual({ ok: false, reason });
    });

    it.each([
      ["just before it ends, clocks apart", now + 34_999],
      ["from a clock a little ahead", now - 4_000],
      ["from a clock as far ahead as is tolerated", now - 5_000],
    ])("is accepted %s", async (_name, receivedAt) => {
      const { signer, verifier } = await setUp();
      const token = await signer.sign(signed);
      expect(await verifier.verify({ token, ...received, now: receivedAt })).toMatchObject({ ok: true });
    });

    it("is accepted once, even when two copies come together", async () => {
      const { signer, verifier } = await setUp();
      const token = await signer.sign(signed);
      const verdicts = await Promise.all([1, 2, 3].map(() => verifier.verify({ token, ...received })));
      expect(verdicts.filter((verdict) => verdict.ok)).toHaveLength(1);
      expect(await verifier.verify({ token, ...received, now: now + 34_000 })).toEqual({
        ok: false,
        reason: "replayed",
      });
    });

    it("is refused when its body comes after its time, as the nonces of that time are forgotten", async () => {
      const { signer, verifier } = await setUp();
      const { body, ...asked } = received;
      const head = await verifier.verifyHead({
        token: await signer.sign(signed),
        ...asked,
        now: now + 34_999,
      });
      if (!head.ok) throw new Error(head.reason);
      for (const late of [35_000, 50_000]) {
        const verdict = await verifier.verifyBody(head.value, body, now + late);
        expect(verdict).toEqual({ ok: false, reason: "expired" });
      }
    });

    it("does not lose its one use to a copy with another body", async () => {
      const { signer, verifier } = await setUp();
      const token = await signer.sign(signed);
      expect(await verifier.verify({ token, ...received, body: "{}" })).toMatchObject({ ok: false });
      expect(await verifier.verify({ token, ...received })).toMatchObject({ ok: true });
    });

    it("is refused while the memory of nonces is full, and accepted once the old ones have expired", async () => {
      const { signer, verifier } = await setUp({ capacity: 1 });
      const send = async (nonce: string, at: number) =>
        verifier.verify({ token: await signer.sign({ ...signed, nonce, now: at }), ...received, now: at });
      expect(await send("a", now)).toMatchObject({ ok: true });
      expect(await send("b", now + 1)).toEqual({ ok: false, reason: "replay-guard-full" });
      expect(await send("c", now + 36_000)).toMatchObject({ ok: true });
    });

    it("is refused when another key signed it, under its own id or the right one's", async () => {
      const { keys, verifier } = await setUp();
      const stranger = await createSigningKeys();
      const own = await (await createSigner(stranger)).sign(signed);
      expect(await verifier.verify({ token: own, ...received })).toEqual({
        ok: false,
        reason: "unknown-key",
      });
      const kid = keys.publicJwks.keys[0]?.kid;
      const posing = await createSigner({ privateJwk: { ...stranger.privateJwk, kid } });
      const posed = await posing.sign(signed);
      expect(await verifier.verify({ token: posed, ...received })).toEqual({
        ok: false,
        reason: "bad-signature",
      });
    });

    it("is refused when any byte of the token is changed", async () => {
      const { signer, verifier } = await setUp();
      const token = await signer.sign(signed);
      // The last character of a 64-byte signature carries 4 idle bits, so it is left out.
      for (let index = 0; index < token.length - 1; index += 7) {
        const other = token[index] === "A" ? "B" : "A";
        const altered = token.slice(0, index) + other + token.slice(index + 1);
        expect(await verifier.verify({ token: altered, ...received })).toMatchObject({ ok: false });
      }
      expect(await verifier.verify({ token, ...received })).toMatchObject({ ok: true });
    });

    it.each(garbage)("is never the text %j, and that throws nothing", async (token) => {
      const { verifier } = await setUp();
      expect(await verifier.verify({ token, ...received })).toEqual({ ok: false, reason: "malformed" });
    });

    it("is accepted from the old and the new key while keys are rolled over, named or not", async () => {
      const [oldKeys, newKeys] = [await createSigningKeys(), await createSigningKeys()];
      const nameless = newKeys.publicJwks.keys.map(({ kid: _kid, ...key }) => key);
      const jwks = PublicJwks.parse({ keys: [...oldKeys.publicJwks.keys, ...nameless] });
      const verifier = await createVerifier({ jwks, audience, replay: createReplayGuard() });
      for (const [index, keys] of [oldKeys, newKeys].entries()) {
        const token = await (await createSigner(keys)).sign({ ...signed, nonce: `nonce-${index}` });
        expect(await verifier.verify({ token, ...received })).toMatchObject({ ok: true });
      }
    });

    it("is known by the name that the operator gave the key", async () => {
      const { privateJwk } = await createSigningKeys();
      const { d: _d, ...publicJwk } = { ...privateJwk, kid: "2026-a" };
      const verifier = await createVerifier({
        jwks: PublicJwks.parse({ keys: [publicJwk] }),
        audience,
        replay: createReplayGuard(),
      });
      const signer = await createSigner({ privateJwk: { ...privateJwk, kid: "2026-a" } });
      expect(await verifier.verify({ token: await signer.sign(signed), ...received })).toMatchObject({
        ok: true,
      });
    });

    it("keeps the private half out of the public key set", async () => {
      const { privateJwk, publicJwks } = await createSigningKeys();
      expect(JSON.stringify(publicJwks)).not.toContain(privateJwk.d);
      expect(PublicJwks.safeParse({ keys: [privateJwk] }).success).toBe(false);
      expect(PublicJwks.safeParse({ keys: [] }).success).toBe(false);
    });
  });
}
