/**
 * Hidden reasoning is billed, but not in the text that we count. When a caller leaves before the provider's usage report, the
 * aggregator is asked afterwards what the answer used. Only the settlement waits for that.
 */
import { askGeneration } from "../providers/ask-generation.ts";
import { baseUrlOf } from "../providers/registry.ts";
import type { Bill } from "./bill.ts";
import type { Services } from "./services.ts";

/** Takes some seconds. A call for which no usage is found stays as we counted it. Never throws. */
export async function readLateReports(
  bill: Bill,
  { fetch, sleep, config }: Pick<Services, "fetch" | "sleep" | "config">,
): Promise<void> {
  const asked = bill.unreported().map(async ({ route, id, report }) => {
    const baseUrl = baseUrlOf(route.provider, config.baseUrls);
    const usage = await askGeneration(route, id, { fetch, sleep, baseUrl });
    if (usage !== undefined) report(usage);
  });
  await Promise.all(asked);
}
