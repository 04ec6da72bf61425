/** OpenAI's service tiers. Our answers name no others. */
export const serviceTiers = ["auto", "default", "flex", "scale", "priority"] as const;
export type ServiceTier = (typeof serviceTiers)[number];

/** Undefined for other servers' tiers (Groq's `on_demand`): clients with a closed list of OpenAI's tiers fail to read the answer. */
export const readTier = (said: unknown): ServiceTier | undefined =>
  serviceTiers.find((tier) => tier === said);
