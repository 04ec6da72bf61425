/** A body against its schema: what does not fit is one validation_error (422) with a message per field. */
import type { MiddlewareHandler } from "hono";
import type { z } from "zod";
import { GatewayError } from "../../shared/errors.ts";
import { describeIssues } from "../dialects/describe-issues.ts";
import type { EdgeEnv } from "./context.ts";

type Validated<Schema extends z.ZodType> = { in: { json: z.input<Schema> }; out: { json: z.output<Schema> } };

/** Put it after `jsonBody`. Values are never repeated: they may be a prompt. */
export const validateJson =
  <Schema extends z.ZodType>(schema: Schema): MiddlewareHandler<EdgeEnv, string, Validated<Schema>> =>
  async (context, next) => {
    const read = schema.safeParse(context.var.body);
    if (!read.success) {
      const details = describeIssues(read.error);
      const first = details[0] ?? "unknown";
      const message = `Change this in the request body and send it again: ${first}`;
      throw new GatewayError("validation_error", message, { details });
    }
    context.req.addValidatedData("json", read.data as object);
    await next();
  };
