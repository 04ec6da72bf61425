// Reasons, purposes and limits are told from what is asked for.
import { expect, it } from "vitest";
import { isAside } from "../../../../gpu-worker/planning/message/asides.ts";

it.each([
  ["because I am moving", true],
  ["since she ordered twice", true],
  ["as the office is closed", true],
  ["so that nobody books me", true],
  ["so it stops paging us", true],
  ["so the baby stays asleep", true],
  ["so QA can start", true],
  ["only that one", true],
  ["just the unread ones.", true],
  ["75 to savings", true],
  ["5 kg of sugar", true],
  ["$20 for the taxi.", true],
  ["2 at seven please", false],
  ["7 of them are broken", false],
  ["12 new lamps", false],
  ["so we can cancel the visit", false],
  ["so I can't come on Monday", false],
  ["so I need a refund", false],
  ["so please call a taxi", false],
  ["since Friday the app is slow", false],
  ["as soon as it is paid", false],
  ["just book the early train", false],
  ["just the usual please", false],
])("%s: tells why, what for or how far: %s", (part, tells) => expect(isAside(part)).toBe(tells));
