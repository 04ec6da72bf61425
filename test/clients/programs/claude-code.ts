/** Claude Code over /v1/messages, as docs/clients.md sets it up. */
import { type Program, programScenes } from "../program.ts";

export const claudeCode: Program = {
  name: "claude-code",
  packages: ["@anthropic-ai/claude-code"],
  scenes: programScenes,
  command: (task, { url, apiKey, model }, _place, { bin }) => ({
    command: bin("claude"),
    args: [
      "-p",
      task,
      "--output-format",
      "stream-json",
      "--include-partial-messages",
      "--verbose",
      "--allowedTools",
      "Read,Write,Bash",
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  }),
};
