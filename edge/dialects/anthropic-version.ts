/** The version of Anthropic's API that this service speaks, to callers and to the provider alike. */

export const anthropicVersion = "2023-06-01";
