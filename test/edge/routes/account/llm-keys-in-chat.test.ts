// Provider keys that are stored: which one pays for a chat request.
import { describe, expect, test } from "vitest";
import { createTestApp, openaiStream, openaiUsage, type Sent } from "../../support/app.ts";
import { listed, newClient } from "../../support/llm-keys-client.ts";

describe("stored keys in chat", () => {
  const hello = {
    model: "svc-x1ac-base-gpt-4o",
    messages: [{ role: "user", content: "go" }],
    max_tokens: 20,
  };
  const answer = ({ url }: Sent) =>
    url.endsWith("/chat/completions") ? openaiStream(["Hi"], openaiUsage(3, 1)) : listed();

  test.each([false, true])("come before the pool, without markup (stream: %s)", async (stream) => {
    const { ask, chat, caller, sent } = await newClient({ provider: [answer] }, 1_000_000);
    await ask("POST", { body: { alpha_key: "sk-vault-canary" } });
    const response = await chat(caller.apiKey, { ...hello, stream });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain('"key_source":"user"');
    expect(text).toContain('"pool_markup_applied":null');
    expect(text).not.toContain("canary");
    expect(sent.at(-1)).toMatchObject({ url: "https://api.openai.com/v1/chat/completions" });
    expect(sent.at(-1)?.headers.get("authorization")).toBe("Bearer sk-vault-canary");
  });

  test("come after an inline key", async () => {
    const { ask, chat, caller, sent } = await newClient({ provider: [answer] }, 1_000_000);
    await ask("POST", { body: { alpha_key: "sk-vault" } });
    await chat(caller.apiKey, hello, { "x-alpha-key": "sk-inline" });
    expect(sent.at(-1)?.headers.get("authorization")).toBe("Bearer sk-inline");
  });

  test("a stored router key serves a native model under the aggregator's name", async () => {
    const { ask, chat, caller, sent } = await newClient({ provider: [answer] }, 1_000_000);
    await ask("POST", { body: { router_key: "sk-or-vault" } });
    const response = await chat(caller.apiKey, hello);
    expect(await response.json()).toMatchObject({
      svc: { key_source: "user", execution_llm: "openai/gpt-4o" },
    });
    expect(sent.at(-1)?.headers.get("authorization")).toBe("Bearer sk-or-vault");
  });

  test("a key the provider refuses later is the caller's to mend, and never falls to the pool", async () => {
    let revoked = false;
    const refuse = (sent: Sent) => (revoked ? new Response("{}", { status: 401 }) : answer(sent));
    const { ask, chat, caller, sent } = await newClient({ provider: [refuse] }, 1_000_000);
    await ask("POST", { body: { alpha_key: "sk-vault" } });
    revoked = true;
    const before = sent.length;
    const response = await chat(caller.apiKey, hello);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "invalid_provider_key" } });
    expect(sent.length).toBe(before + 1);
  });

  test("a key changed, deleted or revoked is out of use on the very next request of another isolate", async () => {
    const { ask, caller } = await newClient({}, 1_000_000);
    const other = createTestApp({ provider: [answer] });
    const used = async () => {
      await (await other.chat(caller.apiKey, hello)).text();
      return other.sent.at(-1)?.headers.get("authorization");
    };
    await ask("POST", { body: { alpha_key: "sk-first", router_key: "sk-or-kept" } });
    expect(await used()).toBe("Bearer sk-first");
    expect(await used()).toBe("Bearer sk-first");
    await ask("POST", { body: { alpha_key: "sk-second" } });
    expect(await used()).toBe("Bearer sk-second");
    await ask("DELETE", { query: "?provider=alpha" });
    expect(await used()).toBe("Bearer sk-or-kept");
    await ask("DELETE");
    expect(await used()).toBe("Bearer pool-canary-key");
  });

  test("twelve writers at once leave one of their keys, and each is told the truth", async () => {
    const { ask, chat, caller, sent } = await newClient({ provider: [answer] }, 1_000_000);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => ask("POST", { body: { alpha_key: `sk-writer-${index}` } })),
    );
    const stored = answers.flatMap(({ status }, index) =>
      status === 200 ? [`Bearer sk-writer-${index}`] : [],
    );
    expect(answers.filter(({ status }) => status !== 200).map(({ status }) => status)).toEqual(
      Array.from({ length: 12 - stored.length }, () => 503),
    );
    // Who gives up after ten attempts has lost each of them to another writer.
    expect(stored.length).toBeGreaterThanOrEqual(10);
    await (await chat(caller.apiKey, hello)).text();
    expect(stored).toContain(sent.at(-1)?.headers.get("authorization"));
  });
});
