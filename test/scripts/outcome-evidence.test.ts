// The command that writes down the server's evidence on right and wrong sequences of actions, on a set of three made-up rows.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "outcome-"));
afterAll(() => rmSync(folder, { recursive: true }));

const Line = z.object({
  set: z.string(),
  row: z.int(),
  kind: z.enum(["right", "half", "other"]),
  likeness: z.number(),
  agreed: z.number().max(0),
  ended: z.number().max(0),
  fit: z.number(),
  similarity: z.number(),
});

it("writes the evidence on each row's own actions, their first half, and two other rows'", async () => {
  const rows = [
    { goal: "Search a hotel in Lisbon and book it", actions: ["search_hotel", "book_hotel"] },
    { goal: "Translate the report and email it to Jonas", actions: ["translate_document", "send_email"] },
    { goal: "Mute the phone", actions: ["mute"] },
  ];
  writeFileSync(join(folder, "made-up.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  const evidence = join(folder, "evidence");
  await promisify(execFile)(process.execPath, ["scripts/outcome-evidence.ts", folder, evidence]);
  const lines = readFileSync(evidence, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => Line.parse(JSON.parse(line)));
  const kinds = ["right", "half", "other", "other"];
  expect(lines.map(({ row, kind }) => `${row} ${kind}`)).toEqual([
    ...kinds.map((kind) => `0 ${kind}`),
    ...kinds.map((kind) => `1 ${kind}`),
    ...["right", "other", "other"].map((kind) => `2 ${kind}`),
  ]);
  const [right, half, other] = lines as [z.infer<typeof Line>, z.infer<typeof Line>, z.infer<typeof Line>];
  expect([right.likeness, half.likeness, other.likeness]).toEqual([1, 2 / 3, 0]);
  expect(right.fit).toBeGreaterThan(other.fit);
  expect(right.ended).toBeGreaterThan(half.ended);
}, 60_000);
