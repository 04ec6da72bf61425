// promptfoo by its library, one evaluation of one prompt, whose assertions say whether the answer is as it was asked for.
import promptfoo from "promptfoo";
import { apiKey, baseURL, mode, model, scene, task } from "./task.mjs";

const schema = {
  type: "object",
  properties: { bird: { type: "string" }, legs: { type: "integer" } },
  required: ["bird", "legs"],
  additionalProperties: false,
};
const formats = {
  "openai:chat": {
    response_format: { type: "json_schema", json_schema: { name: "seen", strict: true, schema } },
  },
  "openai:responses": { response_format: { type: "json_schema", name: "seen", strict: true, schema } },
  "anthropic:messages": { output_format: { type: "json_schema", schema } },
};
const config = {
  apiKey,
  apiBaseUrl: mode.startsWith("anthropic") ? baseURL.replace(/\/v1$/, "") : baseURL,
  ...(scene === "object" && formats[mode]),
};
const assert = scene === "object" ? [{ type: "is-json", value: schema }] : [];
const { results } = await promptfoo.evaluate(
  { prompts: [task], providers: [{ id: `${mode}:${model}`, config }], tests: [{ assert }] },
  { cache: false, showProgressBar: false },
);
const [{ success, error, response }] = results;
if (!success) throw new Error(error);
const { output } = response;
console.log(typeof output === "string" ? output : JSON.stringify(output));
