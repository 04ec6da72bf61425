// The command that writes down the server's evidence on each tool of a request, on a set of two made-up rows.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "calls-"));
afterAll(() => rmSync(folder, { recursive: true }));

const Line = z.strictObject({
  set: z.literal("made-up.jsonl"),
  box: z.literal("set_alarm,play_music,get_weather"),
  calls: z.array(z.int()),
  evidence: z.array(
    z.strictObject({
      part: z.number(),
      none: z.number().max(0),
      leads: z.literal([0, 1]),
      reader: z.number(),
      planned: z.literal([0, 1]),
    }),
  ),
});

it("writes the evidence on each tool of a request, and which are called", async () => {
  const pool = {
    set_alarm: "Set an alarm on the phone",
    play_music: "Play music",
    get_weather: "Weather forecast of a place",
  };
  writeFileSync(join(folder, "box_tools.json"), JSON.stringify(pool));
  const rows = [
    { goal: "Wake me at six and tell me the weather in Gdansk", actions: ["set_alarm", "get_weather"] },
    { goal: "Play some jazz", actions: ["play_music", "play_music"] },
  ].map((row) => JSON.stringify({ ...row, tool_pool: "box" }));
  writeFileSync(join(folder, "made-up.jsonl"), rows.join("\n"));
  const file = join(folder, "evidence");
  await promisify(execFile)(process.execPath, ["scripts/calls-evidence.ts", folder, file]);
  const [first, second] = readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => Line.parse(JSON.parse(line)));
  expect([first!.calls, second!.calls]).toEqual([[0, 2], [1]]);
  const [alarm, music, weather] = first!.evidence.map(({ part }) => part);
  expect(Math.min(alarm!, weather!)).toBeGreaterThan(music!);
  expect(second!.evidence.map(({ leads }) => leads)).toEqual([0, 1, 0]);
}, 60_000);
