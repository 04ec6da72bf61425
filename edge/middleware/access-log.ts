/** One line per request for the operator: ids, codes and times; never a header, a body or a query. */
import type { EdgeMiddleware } from "./context.ts";

export const accessLog: EdgeMiddleware = async (context, next) => {
  const { services, requestId, logFields } = context.var;
  const startedAt = services.now();
  await next();
  const { status } = context.res;
  services.log({
    level: status >= 500 ? "error" : "info",
    event: "request",
    request_id: requestId,
    method: context.req.method,
    path: context.req.routePath === "/*" ? "(unknown)" : context.req.path.slice(0, 64),
    status,
    duration_ms: services.now() - startedAt,
    ...logFields,
  });
};
