import { describe, expect, it } from "vitest";
import { actionText, nameWords, toolText } from "../../../gpu-worker/world-model/text-templates.ts";

describe("texts for the encoder", () => {
  it.each([
    ["math.getHCF_v2", "math get hcf v2"],
    ["HTTPServerList", "http server list"],
    ["get-user__ID", "get user id"],
    ["sendEmail2", "send email2"],
    ["日本 検索", "日本 検索"],
  ])("%s is %j in words", (name, words) => {
    expect(nameWords(name)).toBe(words);
  });

  it("say a tool's name and the beginning of its description in one line", () => {
    expect(toolText({ name: "sendEmail", description: "  Sends \n an  e-mail " })).toBe(
      "send email: Sends an e-mail",
    );
    expect(toolText({ name: "sendEmail", description: " " })).toBe("send email");
    expect(toolText({ name: "a", description: "find\ta\u00a0file\r\n\n in  it" })).toBe(
      "a: find a file in it",
    );
    expect(toolText({ name: "a", description: "x".repeat(900) })).toHaveLength(3 + 400);
  });

  it.each([
    ["mail.sendEmail", "send email"],
    ["mcp__files__readFile", "read file"],
    ["search", "search"],
    ["", "unknown"],
    ["...", "unknown"],
  ])("name the action %j %j", (name, text) => {
    expect(actionText(name)).toBe(text);
  });
});
