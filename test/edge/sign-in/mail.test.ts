// A sign-in code in the form of each mail provider's API, and what is logged when one refuses.
import { describe, expect, test } from "vitest";
import { writeLetter } from "../../../edge/sign-in/mail.ts";
import { createTestApp } from "../support/app.ts";
import { newAddress, openBrowser } from "../support/browser.ts";

const from = "svc <sign-in@svc.example>";

async function sendBy(url: string, answer: () => Response = () => new Response("{}")) {
  const app = createTestApp({
    mail: { kind: "api", url, key: "canary-mail-key", from },
    provider: [answer],
  });
  const email = newAddress();
  const asked = await openBrowser(app).askForCode(email);
  await asked.settled();
  return { app, email, asked, letter: app.sent[0]! };
}

describe("a code by mail", () => {
  test.each([
    ["https://api.resend.com/emails", "authorization", "Bearer canary-mail-key"],
    ["https://mail.example/send", "authorization", "Bearer canary-mail-key"],
    ["https://api.postmarkapp.com/email", "x-postmark-server-token", "canary-mail-key"],
    ["https://api.sendgrid.com/v3/mail/send", "authorization", "Bearer canary-mail-key"],
  ])("goes to %s with its key, to one address, the code first", async (url, header, value) => {
    const { app, email, asked, letter } = await sendBy(url);
    expect(asked.status).toBe(202);
    expect(app.sent).toHaveLength(1);
    expect([letter.url, letter.headers.get(header)]).toEqual([url, value]);
    const text = JSON.stringify(letter.body);
    expect(text.split(email)).toHaveLength(2);
    expect(text).toMatch(/"\d{6} is your sign-in code"/);
    expect(text).toContain("sign-in@svc.example");
    // Nobody reads it in the log as well.
    expect(JSON.stringify(app.logs)).not.toMatch(/canary-mail-key|sign_in_code/);
  });

  test("is in the body's own fields", async () => {
    const { email, letter } = await sendBy("https://api.sendgrid.com/v3/mail/send");
    expect(letter.body).toMatchObject({
      personalizations: [{ to: [{ email }] }],
      from: { email: "sign-in@svc.example", name: "svc" },
      content: [{ type: "text/plain" }],
    });
  });

  test.each([
    [
      "refuses",
      () => Response.json({ message: "key canary-mail-key is wrong" }, { status: 401 }),
      "status-401",
    ],
    [
      "redirects",
      () => new Response(null, { status: 302, headers: { location: "https://evil.example" } }),
      "status-302",
    ],
    [
      "cannot be reached",
      () => {
        throw new Error("no route to canary-mail-key");
      },
      "unreachable",
    ],
  ])(
    "is a line for the operator when its provider %s; whoever asked sees nothing of it",
    async (_how, answer, reason) => {
      const { app, asked } = await sendBy("https://api.resend.com/emails", answer);
      expect(asked.status).toBe(202);
      expect(app.logs).toContainEqual(expect.objectContaining({ event: "mail_failed", reason }));
      expect(JSON.stringify(app.logs)).not.toContain("canary-mail-key");
    },
  );

  // Whoever asks for a code for somebody else's address chooses the request's `Host`, too.
  test.each([
    ["svc.example", "code for svc.example"],
    ["console.svc.example:8443", "code for console.svc.example:8443"],
    ["bank.example", "sign-in code"],
    ["svc.example.bank.example", "sign-in code"],
    ["fakesvc.example", "sign-in code"],
    ["svc.example.", "sign-in code"],
  ])("names the request's host %s only if it is of the sender's domain", (host, named) => {
    for (const sender of [from, "Sign-In@SVC.example"]) {
      const { text } = writeLetter("a@b.example", "123456", host, sender);
      expect(text).toContain(`Your ${named} is 123456.`);
    }
  });

  test("does not name a host that its request has made up", async () => {
    const { letter } = await sendBy("https://api.resend.com/emails");
    expect(JSON.stringify(letter.body)).not.toContain("127.0.0.1");
  });
});
