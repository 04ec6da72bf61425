// Each snippet is run or parsed by its own language, so that quotes in a prompt cannot end a string in it.
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { WireMessage } from "../../edge/console/playground/draft.ts";
import { writers } from "../../edge/console/playground/snippets.ts";

const hostile = `It's "quoted" \\ $HOME \`id\` $(id) \n</script>'; rm -rf . #\u2028 é 世`;
const messages: WireMessage[] = [{ role: "user", content: hostile }];
const request = {
  model: "svc-x1ac-base-openai/gpt-4o",
  temperature: 0.5,
  svc: { max_llm_calls: 2 },
  tools: [
    { type: "function" as const, function: { name: "look", parameters: { strict: true, none: null } } },
  ],
  messages,
};
const origin = "https://svc.example";

describe("a request as code", () => {
  test("curl: a shell hands the same JSON on, and the key stays a variable", () => {
    const text = writers.curl(origin, request);
    const script = text.replace(
      "curl -N",
      'show() { for word; do last=$word; done; printf %s "$last"; }; show',
    );
    const sent = execFileSync("sh", ["-c", script], { encoding: "utf8" });
    expect(JSON.parse(sent)).toEqual({ ...request, stream: true });
    expect(text).toContain("$SVC_API_KEY");
    expect(text).toContain(`'${origin}/v1/chat/completions'`);
  });

  test("JavaScript: the call's argument reads back as the request", () => {
    const text = writers.JavaScript(origin, request);
    const argument = /create\(([\s\S]*?)\);\nfor await/.exec(text)![1]!;
    expect(JSON.parse(argument)).toEqual({ ...request, stream: true });
  });

  test("Python: the call's arguments are literals that read back as the request", () => {
    const text = writers.Python(origin, request);
    const call = /create\(\n([\s\S]*?)\n\)\nfor/.exec(text)![1]!;
    // Python's literals differ from JSON's in three words, in commas before a bracket, and in `name=` for `"name":`.
    const json = `{${call.replace(/^ {4}(\w+)=/gm, '"$1":')}}`
      .replace(/\bTrue\b/g, "true")
      .replace(/\bNone\b/g, "null")
      .replace(/,(\s*[\]}])/g, "$1");
    const read = JSON.parse(json);
    const { svc, ...rest } = request;
    expect(read).toEqual({ ...rest, stream: true, extra_body: { svc } });
  });
});
