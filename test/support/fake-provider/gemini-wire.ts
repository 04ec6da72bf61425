/** Gemini's generateContent (gamma): whole responses as chunks, CRLF frames, no end mark. */
import { cutWords, type FakeWire, type FullAnswer, writeArguments } from "./script.ts";

const finishReasons = {
  stop: "STOP",
  length: "MAX_TOKENS",
  "tool-calls": "STOP",
  "content-filter": "SAFETY",
} as const;

const errorStatuses: ReadonlyMap<number, string> = new Map([
  [400, "INVALID_ARGUMENT"],
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RESOURCE_EXHAUSTED"],
  [503, "UNAVAILABLE"],
]);

function writeUsage({ usage }: FullAnswer) {
  return {
    promptTokenCount: usage.input,
    candidatesTokenCount: usage.output - usage.reasoning,
    totalTokenCount: usage.input + usage.output,
    ...(usage.cachedInput > 0 && { cachedContentTokenCount: usage.cachedInput }),
    ...(usage.reasoning > 0 && { thoughtsTokenCount: usage.reasoning }),
  };
}

function writeResponse(answer: FullAnswer, parts: object[], end: object = {}) {
  return {
    candidates: [{ content: { parts, role: "model" }, index: 0, ...end }],
    modelVersion: answer.model,
    responseId: answer.responseId ?? "fake-response",
  };
}

/** The parts of the answer, text and reasoning in the pieces given by `cut`. */
function listParts(answer: FullAnswer, cut: (text: string) => string[]): object[] {
  return [
    ...cut(answer.reasoning).map((text) => ({ text, thought: true })),
    ...cut(answer.text).map((text) => ({ text })),
    ...answer.toolCalls.map((call) => ({
      functionCall: {
        ...(call.id && { id: call.id }),
        name: call.name,
        args: JSON.parse(writeArguments(call)),
      },
    })),
  ];
}

export const gammaWire: FakeWire = {
  defaultModel: "gemini-2.5-flash",
  writeReply: (answer) => ({
    ...writeResponse(
      answer,
      listParts(answer, (text) => (text === "" ? [] : [text])),
      { finishReason: finishReasons[answer.finish] },
    ),
    usageMetadata: writeUsage(answer),
  }),
  writeFrames: (answer) => {
    const chunks = listParts(answer, cutWords).map((part) => writeResponse(answer, [part]));
    const last = writeResponse(answer, [{ text: "" }], { finishReason: finishReasons[answer.finish] });
    return [...chunks, { ...last, usageMetadata: writeUsage(answer) }].map(
      (chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`,
    );
  },
  writeError: (status, message) => ({
    error: { code: status, message, status: errorStatuses.get(status) ?? "INTERNAL" },
  }),
  writeModels: () => ({
    models: [
      { name: "models/gemini-2.5-flash", displayName: "Gemini 2.5 Flash", inputTokenLimit: 1_048_576 },
    ],
  }),
  writeReplay: (jsonLines) => jsonLines.map((line) => `data: ${line}\r\n\r\n`),
};
