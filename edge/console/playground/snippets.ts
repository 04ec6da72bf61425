/** The form's request as code to run elsewhere. It names the variable that holds the key, never the key. Pure. */
import { writeCurl } from "../components/write-curl.ts";
import type { RequestSettings, WireMessage } from "./draft.ts";

export type Language = "curl" | "JavaScript" | "Python";
type Request = RequestSettings & { messages: WireMessage[] };

/** @param origin where the service is, such as https://svc.example */
type Writer = (origin: string, request: Request) => string;

const indent = (text: string, by: string): string => text.replaceAll("\n", `\n${by}`);

const writeJavaScript: Writer = (origin, request) => `import OpenAI from "openai";

const client = new OpenAI({ apiKey: process.env.SVC_API_KEY, baseURL: ${JSON.stringify(`${origin}/v1`)} });
const stream = await client.chat.completions.create(${JSON.stringify({ ...request, stream: true }, null, 2)});
for await (const chunk of stream) {
  if (chunk.svc?.action_sequence) console.error("plan:", chunk.svc.action_sequence);
  process.stdout.write(chunk.choices[0]?.delta?.content ?? "");
}
`;

const writePython: Writer = (origin, { svc, ...request }) => {
  const fields = Object.entries({ ...request, stream: true }).map(
    ([name, value]) => `    ${name}=${indent(writePythonValue(value), "    ")},`,
  );
  if (svc !== undefined) fields.push(`    extra_body={"svc": ${writePythonValue(svc)}},`);
  return `import os
from openai import OpenAI

client = OpenAI(api_key=os.environ["SVC_API_KEY"], base_url=${JSON.stringify(`${origin}/v1`)})
stream = client.chat.completions.create(
${fields.join("\n")}
)
for chunk in stream:
    if getattr(chunk, "svc", None):
        print("plan:", chunk.svc.get("action_sequence"))
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
`;
};

/** A JSON value as a Python literal: only three words differ, and a JSON string is a Python string. */
function writePythonValue(value: unknown, by = ""): string {
  const inner = `${by}    `;
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return `[\n${value.map((item) => `${inner}${writePythonValue(item, inner)},`).join("\n")}\n${by}]`;
  }
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return "{}";
  const lines = entries.map(
    ([name, item]) => `${inner}${JSON.stringify(name)}: ${writePythonValue(item, inner)},`,
  );
  return `{\n${lines.join("\n")}\n${by}}`;
}

export const writers: Readonly<Record<Language, Writer>> = {
  curl: (origin, request) => writeCurl(origin, "/v1/chat/completions", { ...request, stream: true }),
  JavaScript: writeJavaScript,
  Python: writePython,
};
