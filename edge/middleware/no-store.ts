/** Answers that are about one account at one moment: no cache keeps them. */
import type { EdgeMiddleware } from "./context.ts";

export const noStore: EdgeMiddleware = async (context, next) => {
  context.header("cache-control", "no-store");
  await next();
};
