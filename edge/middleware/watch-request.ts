/** A request's watch: where it begins, what is told of its answer, and that it ends when the caller has left. */
import type { Account } from "../db/api-keys.ts";
import { watchWorkers } from "../gpu-workers/watch-workers.ts";
import type { IsolateServices, Services } from "../pipeline/services.ts";
import { writeServerTiming } from "../telemetry/server-timing.ts";
import type { EdgeContext, EdgeMiddleware } from "./context.ts";

/** The services of one request, which are watched where the pipeline does not do it itself. */
export function watchServices(services: IsolateServices, headers: Headers): Services {
  const { now, waitUntil, sleep } = services;
  const watch = services.telemetry.watch({ headers, now, waitUntil, sleep });
  return { ...services, watch, gpuWorkers: watchWorkers(services.gpuWorkers, watch) };
}

/** Of a caller who left before the head was sent, as nginx has it. */
const leftStatus = 499;

/** The pattern, never the path: patterns are as many as there are routes. */
function nameRoute({ req }: EdgeContext): string {
  const { routePath } = req;
  return routePath === "/*" ? "other" : `${req.method} ${routePath.replace(/\{.*\}/, "")}`;
}

export const watchRequest: EdgeMiddleware = async (context, next) => {
  const { services, requestId, logFields } = context.var;
  const { watch } = services;
  const letGo = watch.keep();
  // A handler may be stopped when its caller leaves; its settlement goes on and keeps the watch by itself.
  const leave = () => {
    watch.answer({ requestId, route: nameRoute(context), status: leftStatus });
    letGo();
  };
  context.req.raw.signal.addEventListener("abort", leave, { once: true });
  await next();
  // Who has no key is not told how long it took to find that out.
  const account = context.var.account as Account | undefined;
  if (account !== undefined) context.res.headers.set("server-timing", writeServerTiming(watch));
  const code = logFields.code as string | undefined;
  watch.answer({ requestId, route: nameRoute(context), status: context.res.status, code });
  letGo();
};
