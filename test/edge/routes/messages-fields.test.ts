// What a caller of Anthropic's API sends: whole to Anthropic, named where another provider cannot honour it.
import { describe, expect, test } from "vitest";
import { betaKey, byClaude, claude, model, type Options, post } from "../support/ask-messages.ts";

describe("what a caller of Anthropic sends", () => {
  const cached = { type: "ephemeral" };
  const rich = {
    ...byClaude,
    system: [{ type: "text", text: "Be brief.", cache_control: cached }],
    thinking: { type: "enabled", budget_tokens: 1024, display: "omitted" },
    max_tokens: 2048,
    metadata: { user_id: "u1" },
    service_tier: "standard_only",
    stop_sequences: ["END"],
    tools: [
      {
        name: "now",
        description: "Time",
        input_schema: { type: "object", properties: {} },
        cache_control: cached,
      },
      { type: "web_search_20250305", name: "web_search", max_uses: 2 },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    context_management: { edits: [] },
    messages: [
      {
        role: "user",
        content: [
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0=" } },
          {
            type: "document",
            source: { type: "text", media_type: "text/plain", data: "Löwe" },
            title: "T",
            citations: { enabled: true },
          },
          { type: "text", text: "Look", cache_control: cached },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "redacted_thinking", data: "eA==" },
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } },
          { type: "tool_use", id: "toolu_01", name: "now", input: { a: [1, { b: null }] } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_01",
            is_error: true,
            content: [
              { type: "text", text: "no" },
              { type: "image", source: { type: "url", url: "https://example.com/a.png" } },
              { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "found" }] },
            ],
          },
        ],
      },
    ],
  };
  const answer: Options = { provider: [() => Response.json(claude([{ type: "text", text: "ok" }]))] };
  /** As the SDK sends `workspace_id` and `user_profile_id`. */
  const whose = { "anthropic-workspace-id": "wrkspc_1", "anthropic-user-profile-id": "uprof_1" };

  test("reaches Anthropic whole; sealed thinking of an open turn is not cut off by the plan", async () => {
    const { sent, response } = await post(rich, answer, {
      headers: { ...betaKey, "anthropic-beta": "a-1,b-2", ...whose },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")).toBeNull();
    expect(sent[0]?.body).toEqual({ ...rich, model: "claude-sonnet-4-5", stream: true });
    expect(sent[0]?.headers.get("anthropic-beta")).toBe("a-1,b-2");
    for (const [name, value] of Object.entries(whose)) expect(sent[0]?.headers.get(name)).toBe(value);
    expect(sent[0]?.headers.get("x-api-key")).toBe("sk-ant-own");
  });

  test("is followed by the plan, as the last text of the newest turn, results first", async () => {
    const call = { type: "tool_use", id: "toolu_01", name: "now", input: {} };
    const result = {
      type: "tool_result",
      tool_use_id: "toolu_01",
      content: [{ type: "text", text: "noon" }],
    };
    const messages = [
      { role: "user", content: [{ type: "text", text: "When?", cache_control: cached }] },
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ];
    const { sent } = await post({ ...rich, messages }, answer, { headers: betaKey });
    const body = sent[0]!.body as { system: unknown[]; messages: { content: unknown[] }[] };
    expect(body.system).toEqual(rich.system);
    expect(body.messages.slice(0, 2)).toEqual(messages.slice(0, 2));
    expect(body.messages[2]?.content).toEqual([
      result,
      { type: "text", text: expect.stringMatching(/^\[svc plan\]/) },
    ]);
  });

  test("that another provider cannot honour is named, all of it", async () => {
    const { response } = await post({ ...rich, model }, {}, { headers: { "anthropic-beta": "a-1" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-svc-unsupported")?.split(", ").sort()).toEqual(
      [
        "anthropic-beta",
        "citations",
        "context_management",
        "is_error",
        "messages.content.document.title",
        "messages.content.server_tool_use",
        "thinking.display",
        "tools.web_search_20250305",
      ].sort(),
    );
  });
});
