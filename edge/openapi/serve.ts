/** GET /openapi.json: the document, built and written once in an isolate's life, and only if somebody asks. */
import { compress } from "../middleware/compress.ts";
import { createHandlers } from "../middleware/context.ts";

let written: Promise<string> | undefined;

/** Its modules are imported on first use, so that their tables and schemas do not slow a Worker's start. */
const write = () => import("./document.ts").then(({ buildDocument }) => JSON.stringify(buildDocument()));

export const openapi = createHandlers(async (context) => {
  written ??= write();
  compress(context);
  return context.body(await written, 200, {
    "content-type": "application/json",
    "cache-control": "public, max-age=300",
  });
});
