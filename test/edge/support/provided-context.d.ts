/** What test/support/sqld-global-setup.ts hands to the tests. */
import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** One database for each worker. */
    libsqlUrls: string[];
    /** PROPERTY_RUNS: runs of the costly properties; few by default. */
    propertyRuns: number;
    /** PROPERTY_SEED: repeats what a failure printed. */
    propertySeed: number;
    /** FUZZ_RUNS: hostile requests over all routes. */
    fuzzRuns: number;
    /** GENERATED_STREAMS: random provider streams; the full run is 5,000. */
    generatedStreams: number;
  }
}
