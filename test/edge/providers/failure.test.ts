import { expect, test } from "vitest";
import { describeFailure } from "../../../edge/providers/failure.ts";

test.each([
  ["Overloaded", "Overloaded - retry with exponential backoff."],
  ["Too busy: please try again later.", "Too busy: please try again later."],
  ["odd=secretvalue", "odd=[key] - retry with exponential backoff."],
])("%j is told as %j: without the key, and with advice unless it has some", (message, said) => {
  const failure = { type: "error", code: "upstream_overloaded", message } as const;
  expect(describeFailure(failure, "secretvalue")).toEqual({ ...failure, message: said });
});

test("advice follows a whole sentence as well as a phrase", () => {
  const failure = { type: "error", code: "upstream_truncated", message: "It cannot be read." } as const;
  expect(describeFailure(failure, undefined).message).toBe("It cannot be read - retry the request.");
});

test("a failure keeps its details, without the key", () => {
  const failure = { type: "error", code: "upstream_error", message: "Stop; retry." } as const;
  expect(describeFailure({ ...failure, details: { key: "odd=secretvalue" } }, "secretvalue")).toEqual({
    ...failure,
    details: { key: "odd=[key]" },
  });
});
