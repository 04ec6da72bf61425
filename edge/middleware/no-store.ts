/** Forbids caches to store answers about one account. */
import type { EdgeMiddleware } from "./context.ts";

export const noStore: EdgeMiddleware = async (context, next) => {
  context.header("cache-control", "no-store");
  await next();
};
