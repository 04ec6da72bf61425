/** What test/support/sqld-global-setup.ts hands to the tests. */
import "vitest";

declare module "vitest" {
  interface ProvidedContext {
    libsqlUrl: string;
  }
}
