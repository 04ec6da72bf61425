/** Somebody who has asked for a code by e-mail. */
import { createTestApp, type TestAppOptions } from "./app.ts";
import { lastCode, newAddress, openBrowser } from "./browser.ts";

export const minute = 60_000;

/** An app with a clock of its own, and a code that was sent to a new address. */
export async function askedFor(options: TestAppOptions = {}) {
  let now = Date.now();
  const app = createTestApp({ now: () => now, ...options });
  const browser = openBrowser(app);
  const email = newAddress();
  const asked = await browser.askForCode(email);
  const { id } = (await asked.json()) as { id: string };
  const code = lastCode(app, email);
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, "0");
  return { app, browser, email, asked, id, code, wrong, pass: (ms: number) => (now += ms) };
}
