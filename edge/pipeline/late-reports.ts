/**
 * What a model thought without showing it is in no word that we could count. Where its caller left before the provider's
 * report, the aggregator is asked what the answer used once the call is cut; nobody waits for it but the settlement.
 */
import { askGeneration } from "../providers/ask-generation.ts";
import { baseUrlOf } from "../providers/registry.ts";
import type { Bill } from "./bill.ts";
import type { Services } from "./services.ts";

/** Up to some seconds. What no answer says stays as it was counted. Never throws. */
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
