/** The models a caller may name, the same for every caller: the list is read once, the details of a model when it is shown. */
import * as z from "zod/mini";
import { caller } from "../session.ts";
import { createStore } from "../store.ts";
import { callApi } from "./call-api.ts";
import { type Models, orderModels } from "./model-names.ts";

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });
const Health = z.object({ svc_models_loaded: z.array(z.string()) });
const maybeNumber = z.optional(z.nullable(z.number()));
const ModelDetails = z.object({
  loaded: z.optional(z.boolean()),
  context_length: maybeNumber,
  max_output_tokens: maybeNumber,
  pricing: z.optional(
    z.nullable(z.object({ planning: maybeNumber, prompt: maybeNumber, completion: maybeNumber })),
  ),
});
export type ModelDetails = z.infer<typeof ModelDetails>;

export const models = createStore<Models | undefined>(undefined);

/** Loads the list if it is missing: loading may have failed before. */
export async function loadModels(): Promise<void> {
  if (caller.get() === undefined || models.get() !== undefined) return;
  const [list, health] = await Promise.all([callApi("/v1/models", ModelList), callApi("/health", Health)]);
  if (!list.ok) return;
  const loaded = health.ok ? health.value.svc_models_loaded : [];
  models.set(
    orderModels(
      list.value.data.map(({ id }) => id),
      loaded,
    ),
  );
}

caller.subscribe(() => void loadModels());
void loadModels();

const details = new Map<string, Promise<ModelDetails | undefined>>();

/** Reads each model's details once. Undefined if they could not be read: the next call tries again. */
export function readModelDetails(name: string): Promise<ModelDetails | undefined> {
  const known = details.get(name);
  if (known !== undefined) return known;
  const asked = callApi(`/v1/models/${encodeURIComponent(name)}`, ModelDetails).then((result) =>
    result.ok ? result.value : undefined,
  );
  details.set(name, asked);
  void asked.then((found) => found ?? details.delete(name));
  return asked;
}
