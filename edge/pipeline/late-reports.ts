/**
 * What a model thought without showing it, and what pictures came to, is in no word that we could count. Where a call is cut
 * before the provider's report, the aggregator is asked what the answer used; nobody waits for it but the settlement.
 */
import { askGeneration } from "../providers/ask-generation.ts";
import { baseUrlOf } from "../providers/registry.ts";
import type { UnreportedCall } from "./bill.ts";
import type { Services } from "./services.ts";

/** Takes 14 s at most (ask-generation.ts). A call that nothing is learnt of stays as it was counted. Never throws. */
export async function readLateReports(
  calls: readonly UnreportedCall[],
  { fetch, sleep, config }: Pick<Services, "fetch" | "sleep" | "config">,
): Promise<void> {
  const asked = calls.map(async ({ route, id, report }) => {
    const baseUrl = baseUrlOf(route.provider, config.baseUrls);
    const usage = await askGeneration(route, id, { fetch, sleep, baseUrl });
    if (usage !== undefined) report(usage);
  });
  await Promise.all(asked);
}
