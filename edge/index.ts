/** The Worker's entry: `fetch` serves the app, `scheduled` runs the timer's work. */
import { createApp } from "./app.ts";
import { type Bindings, readConfig } from "./env.ts";
import { createIsolate } from "./isolate.ts";
import { baseUrlOf } from "./providers/registry.ts";
import { lacksCatalog, refreshCatalog, sweep } from "./scheduled.ts";

const randomId = () => crypto.randomUUID().replaceAll("-", "");
const { createServices } = createIsolate();
const app = createApp({ createServices, randomId });

export default {
  fetch: (request: Request, bindings: Bindings, execution: ExecutionContext) =>
    app.fetch(request, bindings, execution),

  /** Every minute the sweep; the aggregator's list every hour, and at once where there is none (wrangler.toml has the times). */
  async scheduled(
    event: ScheduledController,
    bindings: Bindings,
    _execution: ExecutionContext,
  ): Promise<void> {
    const { database, baseUrls, pool } = readConfig(bindings);
    const router = {
      baseUrl: baseUrlOf("router", baseUrls),
      apiKey: pool.on ? pool.key : undefined,
    };
    const options = {
      database,
      router,
      fetch: (input: RequestInfo | URL, init?: RequestInit) => fetch(input, init),
      now: Date.now,
    };
    await sweep(options);
    const onTheHour = new Date(event.scheduledTime).getUTCMinutes() === 0;
    if (onTheHour || (await lacksCatalog(options))) await refreshCatalog(options);
  },
};
