/**
 * The streams that are replayed: the project's own fixtures, always, and every recording in the folder named
 * by RECORDED_STREAMS (one JSON event per line, a sub folder per wire format), where it is set.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderKind } from "../../../shared/providers.ts";
import { streams as anthropicStreams } from "../../fixtures/anthropic-streams.ts";
import { streams as geminiStreams } from "../../fixtures/gemini-streams.ts";
import { streams as openaiStreams } from "../../fixtures/openai-streams.ts";
import type { ExpectedAnswer, Line } from "./expected-answer.ts";
import { readAnthropic } from "./read-anthropic.ts";
import { readGemini } from "./read-gemini.ts";
import { readOpenai } from "./read-openai.ts";

export type WireFormat = "openai" | "anthropic" | "google";

export type Recording = { name: string; format: WireFormat; lines: string[]; expected: ExpectedAnswer };

const readers: Readonly<Record<WireFormat, (lines: readonly Line[]) => ExpectedAnswer>> = {
  openai: readOpenai,
  anthropic: readAnthropic,
  google: readGemini,
};

/** Which wire format each provider kind speaks. */
export const formatOf: Readonly<Record<ProviderKind, WireFormat>> = {
  alpha: "openai",
  beta: "anthropic",
  gamma: "google",
  router: "openai",
};

function createRecording(format: WireFormat, name: string, lines: string[]): Recording {
  return {
    name,
    format,
    lines,
    expected: readers[format](lines.map((line) => JSON.parse(line) as Line)),
  };
}

const written = (format: WireFormat, streams: Readonly<Record<string, readonly object[]>>): Recording[] =>
  Object.entries(streams).map(([name, events]) =>
    createRecording(
      format,
      `own: ${name}`,
      events.map((event) => JSON.stringify(event)),
    ),
  );

/** Answers that begin well and end in the provider's error. */
const failingStreams: readonly Recording[] = [
  createRecording("openai", "own: an error after the first words", [
    '{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"role":"assistant","content":"Well"},"finish_reason":null}]}',
    '{"error":{"message":"The engine is out of steam","type":"server_error","code":500}}',
  ]),
  createRecording("anthropic", "own: an error after the first words", [
    '{"type":"message_start","message":{"id":"msg_1","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}',
    '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Well"}}',
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded for now"}}',
  ]),
  createRecording("google", "own: an error after the first words", [
    '{"candidates":[{"content":{"role":"model","parts":[{"text":"Well"}]},"index":0}]}',
    '{"error":{"code":503,"message":"The model is overloaded today","status":"UNAVAILABLE"}}',
  ]),
];

/** Written by hand, part of the project. */
export const ownStreams: readonly Recording[] = [
  ...failingStreams,
  ...openaiStreams.map(({ name, frames }) =>
    createRecording(
      "openai",
      `own: ${name}`,
      frames.filter((frame) => frame.startsWith("{")),
    ),
  ),
  ...written("anthropic", anthropicStreams),
  ...written("google", geminiStreams),
];

export const recordedFolder = process.env.RECORDED_STREAMS;

const isFormat = (name: string): name is WireFormat => name in readers;

/** @throws Error for a sub folder of an unknown format, since its recordings would be left out unnoticed */
export function readRecordings(folder: string): Recording[] {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name: format }) => {
    if (!isFormat(format)) throw new Error(`RECORDED_STREAMS has a folder ${format} that has no reader`);
    return readdirSync(join(folder, format))
      .filter((file) => file.endsWith(".chunks.txt"))
      .sort()
      .map((file) => {
        const lines = readFileSync(join(folder, format, file), "utf8").split(/\r?\n/);
        const name = file.replace(/\.chunks\.txt$/, "");
        return createRecording(
          format,
          name,
          lines.filter((line) => line.trim() !== ""),
        );
      });
  });
}
