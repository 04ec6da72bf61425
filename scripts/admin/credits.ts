/** Credits as people write them, to integer micro-credits and never through a floating-point number. */
import { maxCredits, microPerCredit } from "../../shared/credits.ts";
import { AdminError } from "./failure.ts";

/** Reads "12", "0.5" or "3.141593" exactly. @throws AdminError for anything else. */
export function parseCreditsMicro(text: string): number {
  const match = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (match === null) {
    throw new AdminError(
      `"${text}" is not an amount of credits: write a number such as 10 or 2.5, with up to 6 decimals.`,
    );
  }
  const micro = Number(match[1]! + (match[2] ?? "").padEnd(6, "0"));
  if (micro > maxCredits * microPerCredit)
    throw new AdminError(`"${text}" is more than ${maxCredits} credits at once.`);
  return micro;
}
