/** A request's watch: where it begins, and what is told of it once the answer is known (the header Server-Timing). */
import type { Account } from "../db/api-keys.ts";
import { watchWorkers } from "../gpu-workers/watch-workers.ts";
import type { IsolateServices, Services } from "../pipeline/services.ts";
import { RequestWatch } from "../telemetry/request-watch.ts";
import { writeServerTiming } from "../telemetry/server-timing.ts";
import type { EdgeMiddleware } from "./context.ts";

/** The services of one request, which are watched where the pipeline does not do it itself. */
export function watchServices(services: IsolateServices): Services {
  const watch = new RequestWatch(services.now);
  return { ...services, watch, gpuWorkers: watchWorkers(services.gpuWorkers, watch) };
}

export const watchRequest: EdgeMiddleware = async (context, next) => {
  await next();
  // Who has no key is not told how long it took to find that out.
  const account = context.var.account as Account | undefined;
  if (account !== undefined) {
    context.res.headers.set("server-timing", writeServerTiming(context.var.services.watch));
  }
};
