/** A body against its schema: what does not fit is one validation_error (422) with a message per field. */
import { zValidator } from "@hono/zod-validator";
import type { z } from "zod";
import { GatewayError } from "../../shared/errors.ts";
import { describeIssues } from "../dialects/describe-issues.ts";

/** Hono's zod validator, answering in our words. Put it after `jsonBody`. Values are never repeated: they may be a prompt. */
export const validateJson = <Schema extends z.ZodType>(schema: Schema) =>
  zValidator("json", schema, (result) => {
    if (result.success) return;
    const details = describeIssues(result.error);
    const first = details[0] ?? "unknown";
    throw new GatewayError(
      "validation_error",
      `Change this in the request body and send it again: ${first}`,
      {
        details,
      },
    );
  });
