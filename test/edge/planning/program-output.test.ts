// What programs printed and a user pasted without fences is no part of the goal; what people write in the same forms stays.
import { expect, it } from "vitest";
import { readAsked } from "../../../edge/planning/asked-text.ts";

const pasted = {
  "a log":
    "[2026-11-02 10:01:22] INFO  deploy: release 118 started\n[2026-11-02 10:02:11] ERROR health: failing",
  "a log with a time alone": "10:02:11.204 [main] WARN  c.a.Queue - depth 900, merge it",
  syslog: "Oct 11 09:13:01 host sshd[811]: Accepted publickey\nOct 11 09:14:00 host cron[9]: delete old",
  "an access log": '10.0.0.7 - - [12/Oct/2026:10:00:00 +0000] "DELETE /orders/7 HTTP/1.1" 500 12',
  "npm's errors": "npm ERR! code ELIFECYCLE\nnpm ERR! errno 1",
  "a trace of JavaScript":
    "TypeError: x is not a function\n    at main (/srv/app.ts:4:2)\n    at async run (node:internal/x:95:5)",
  "a trace of Java": "java.lang.NullPointerException: customer\n\tat com.acme.Mail.send(Mail.java:19)",
  "a trace of Python":
    'Traceback (most recent call last):\n  File "run.py", line 2, in main\n    cancel(order)\nValueError: no delete',
  "rows with commas": "id,name,qty\n1,Bolt M6,400\n2,Nut M6,380",
  "SQL in capitals": "DROP TABLE tmp_import;\nCREATE VIEW v AS SELECT region FROM sales;",
  "rows with tabs": "Name\tHours\nAnn\t12\nBen\t9",
};

it.each(Object.entries(pasted))("leaves out %s", (_, output) => {
  expect(readAsked(`${output}\nplease roll production back`)).toBe("please roll production back");
  expect(readAsked(`Please roll production back\n${output}`)).toBe("Please roll production back");
});

it.each(Object.entries(pasted))("keeps %s where nothing else is said", (_, output) => {
  expect(readAsked(`Please help:\n${output}`)).toContain(output.trim().split("\n")[0]!.trim());
});

it.each([
  "[2026-11-30 10:01:22] Ann: book a table\n[2026-11-30 10:02:10] Ben: for two",
  "2026-11-30 10:01:22 call the bank",
  "get milk,eggs,bread\ncall mum",
  "buy milk, eggs, bread\ncall Ann, Ben, Cleo\nthanks a lot",
  "\t- pay the rent\n\t- call Ann\nadd these to my list",
  "meet at 10:30\nat the cafe",
  "UPDATE the address;\nselect the blue one;\nand DROP the rest",
  "a call with Ben\nat 10:30\nto discuss the budget",
  "my tasks for today:\n1.\tpay the rent\n2.\tcall Ann",
  "my tasks for today:\n•\tpay the rent\n•\tcall Ann",
  "Error: the form says I have no account\ncan you reset it",
])("keeps what people write: %s", (message) => {
  for (const line of message.split("\n"))
    expect(readAsked(message)).toContain(line.replace(/^\s*(?:[-•]|\d\.)\s/, "").trim());
});
