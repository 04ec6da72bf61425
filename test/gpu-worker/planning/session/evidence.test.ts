// What calls, arguments and results show of the next tool, whatever the reader of sessions makes of their texts.
import { describe, expect, it } from "vitest";
import type { SessionEvent } from "../../../../gpu-worker/planning/session/events.ts";
import { readEvidence } from "../../../../gpu-worker/planning/session/evidence.ts";
import { readProgress } from "../../../../gpu-worker/planning/session/progress.ts";
import { leastMs } from "../../../support/least-ms.ts";
import { noEvidence } from "../../support/made-up-model.ts";

const weights = {
  ...noEvidence,
  missing: -4,
  unnamed: -1,
  given: 2,
  again: 8,
  sequel: 16,
  checks: 32,
  inquired: 64,
  repeated: 256,
  corrected: 512,
  wished: 128,
};
const user = (text: string): SessionEvent => ({ kind: "user", text });
const call = (text: string, args: object = {}): SessionEvent => ({
  kind: "call",
  text,
  args: JSON.stringify(args),
});
const result = (content: unknown): SessionEvent => ({
  kind: "result",
  text: typeof content === "string" ? content : JSON.stringify(content),
});
const needsOf: Record<string, string[]> = {
  find_customer: ["query"],
  list_orders: ["customer_id"],
  refund_order: ["orderId", "reason"],
  send_mail: ["address"],
};
const tools = Object.entries(needsOf).map(([name, needs]) => ({ name, needs, effect: undefined }));
/** The tools whose odds differ from 1, with the logarithm. */
function oddsOf(...turns: SessionEvent[]): Record<string, number> {
  const { logOdds } = readEvidence(tools, turns, weights);
  return Object.fromEntries(tools.flatMap(({ name }, row) => (logOdds[row] ? [[name, logOdds[row]]] : [])));
}

describe("a tool that needs an id", () => {
  const found = [call("find_customer", { query: "Ada" }), result({ customer_id: "C-70", name: "Ada" })];

  it("waits while nothing has given one", () => {
    expect(oddsOf(user("Refund Ada's lamp"))).toEqual({ list_orders: -4, refund_order: -4 });
  });

  it("waits less where the user may have said it", () => {
    expect(oddsOf(user("Refund order 4711"))).toEqual({ list_orders: -1, refund_order: -1 });
  });

  it("is next where the newest result gave one", () => {
    expect(oddsOf(user("Refund Ada's lamp"), ...found)).toEqual({ list_orders: 2, refund_order: -4 });
  });

  it("is no likelier for one that was known before", () => {
    const again = [call("list_orders", { customer_id: "C-70" }), result({ customer_id: "C-70", orders: [] })];
    expect(oddsOf(user("Refund Ada's lamp"), ...found, ...again)).toEqual({ refund_order: -4 });
  });

  it("is next where a result gave one as `id`, of the thing that the call's tool is named after", () => {
    const listed = [call("list_orders", { customer_id: "C-70" }), result({ open: [{ id: "O-1" }] })];
    expect(oddsOf(user("Refund it"), ...listed)).toEqual({ refund_order: 2 });
  });

  it("is next after the user's answer, if no call has used one that a result gave", () => {
    expect(oddsOf(user("Orders of Ada"), ...found, user("the first one"))).toEqual({
      list_orders: 2,
      refund_order: -4,
    });
  });
});

describe("a call that failed", () => {
  const failed = (error: string) =>
    oddsOf(user("Mail Ada"), call("send_mail", { address: "ada" }), result({ error }));

  it("is made again where the error says how", () => {
    expect(failed("unknown address; did you mean ada@example.com?")).toMatchObject({ send_mail: 8 });
    expect(failed("Error: 3 matches, give more text to make it unique")).toMatchObject({ send_mail: 8 });
  });

  it("is not where it was refused", () => {
    expect(failed("forbidden")).not.toHaveProperty("send_mail");
  });
});

describe("what followed a call before", () => {
  const forAda = [
    user("Find Ada and write to her"),
    call("find_customer"),
    result("found"),
    call("send_mail"),
    result("sent"),
  ];
  const forBob = [...forAda, user("the same for Bob"), call("find_customer"), result("found")];

  it("is likely after the next such call", () => {
    expect(oddsOf(...forBob)).toMatchObject({ send_mail: 16 + weights.repeated });
    expect(readEvidence(tools, forBob, weights).isOpen).toBe(true);
  });

  it("is not likely after a failure if the earlier call succeeded, nor the other way round", () => {
    const failed = [...forAda, user("the same for Bob"), call("find_customer"), result("404 not found")];
    expect(oddsOf(...failed)).not.toHaveProperty("send_mail");
    const mended = [...failed, call("list_orders"), result("two"), call("find_customer"), result("found")];
    expect(oddsOf(...mended)).toMatchObject({ send_mail: 16 + weights.repeated });
    expect(oddsOf(...mended).list_orders).not.toBe(16);
  });

  it("is no longer open once it was called for this message", () => {
    const done = [...forBob, call("send_mail"), result("sent"), call("find_customer"), result("found")];
    expect(readEvidence(tools, done, weights).isOpen).toBe(false);
  });

  it("is not open after another request", () => {
    const asked = [...forAda, user("what is Bob's address?"), call("find_customer"), result("found")];
    expect(readEvidence(tools, asked, weights).isOpen).toBe(false);
  });

  it("is not the agent's own list", () => {
    const listed = ["find_customer", "TodoWrite", "find_customer"].flatMap((name) => [
      call(name),
      result("ok"),
    ]);
    const offered = [...tools, { name: "TodoWrite", needs: [], effect: "write" as const }];
    const { logOdds, isOpen } = readEvidence(offered, [user("Find Ada"), ...listed], weights);
    expect([logOdds.at(-1), isOpen]).toEqual([0, false]);
  });

  it("says nothing before the message's first call", () => {
    expect(oddsOf(...forAda, user("thanks"))).not.toHaveProperty("send_mail");
  });
});

describe("tools without parameters", () => {
  const offered = (...named: [string, "look" | "write"][]) =>
    named.map(([name, effect]) => ({ name, effect, needs: [] }));
  const oddsAmong = (of: Parameters<typeof readEvidence>[0], ...turns: SessionEvent[]) => [
    ...readEvidence(of, turns, weights).logOdds,
  ];

  it("that find errors follow one that changed a file, unless it failed", () => {
    const coding = offered(["run_tests", "write"], ["get_diagnostics", "look"], ["edit_file", "write"]);
    const edited = (text: string) => [user("Fix the price"), call("edit_file"), result(text)];
    expect(oddsAmong(coding, ...edited("1 line replaced"))).toEqual([32, 32, 0]);
    expect(oddsAmong(coding, ...edited("error: no such file"))).toEqual([0, 0, 0]);
    const asked = [...edited("1 line replaced"), user("thanks")];
    expect(oddsAmong(coding, ...asked)).toEqual([0, 0, 0]);
  });

  it("that only look are likelier after a later message with a question, until a call is made for it", () => {
    const desk = offered(["list_orders", "look"], ["refund_order", "write"]);
    const before = [user("Refund the lamp"), call("refund_order"), result("refunded")];
    const asked = [...before, user("and the other one?")];
    expect(oddsAmong(desk, ...asked)).toEqual([64, 0]);
    expect(oddsAmong(desk, ...asked, call("list_orders"), result("none"))).not.toContain(64);
    expect(oddsAmong(desk, user("and the other one?"))).toEqual([0, 0]);
  });

  it("are weighed by how much the message asks for their verb", () => {
    const [list, refund] = offered(["list_orders", "look"], ["refund_order", "write"]);
    const [little, much] = oddsAmong(
      [
        { ...list!, wished: 0 },
        { ...refund!, wished: 0.98 },
      ],
      user("Refund the lamp"),
    );
    expect(much).toBeCloseTo(0, 9);
    expect(little).toBeCloseTo(128 * Math.log(0.02), 9);
  });
});

it("tools without parameters and a session without calls are left as they are", () => {
  const plain = tools.map((tool) => ({ ...tool, needs: [] }));
  expect([...readEvidence(plain, [user("hello")], weights).logOdds]).toEqual([0, 0, 0, 0]);
});

describe("a request made to keep a thread busy", () => {
  /** Names of two letters, all different. */
  const letters = (at: number) => String.fromCharCode(97 + (Math.floor(at / 26) % 26), 97 + (at % 26));
  const timeOf = (needs: (tool: number, need: number) => string, turns: SessionEvent[]): Promise<number> => {
    const many = Array.from({ length: 128 }, (_, tool) => ({
      name: `tool_${tool}`,
      effect: undefined,
      needs: Array.from({ length: 16 }, (_, need) => needs(tool, need)),
    }));
    return leastMs(300, () => readEvidence(many, turns, weights));
  };

  it("compares a bounded number of parameters with a bounded number of values", async () => {
    const owners = (tool: number, need: number) => {
      const at = tool * 16 + need;
      return `${"get_".repeat(1 + (at % 40))}${"order_".repeat(1 + Math.floor(at / 40))}id`;
    };
    const session = Array.from({ length: 32 }, () => [call("get_order"), result("id=1 ".repeat(200))]);
    // 4 s without the bounds.
    expect(await timeOf(owners, [user("do it"), ...session.flat()])).toBeLessThan(300);
    const plain = (tool: number, need: number) => `${letters(tool)}${letters(need)}_id`;
    expect(await timeOf(plain, [user("do it"), ...session.flat()])).toBeLessThan(300);
  });

  it("looks for numbers in the time that the text is long", async () => {
    const dashes = Array.from({ length: 64 }, () => user("a-".repeat(2_000)));
    // 1 s where each of the dashes looked ahead to the end.
    expect(await timeOf(() => "order_id", dashes)).toBeLessThan(300);
  });

  it("still reads the newest values behind many older ones", () => {
    const old = Array.from({ length: 40 }, (_, at) => [
      call("find_customer"),
      result(`n${at}=1 `.repeat(150)),
    ]);
    const turns = [...old.flat(), user("refund it"), call("list_orders"), result({ orderId: "O-7" })];
    expect(oddsOf(...turns)).toMatchObject({ refund_order: 2 });
  });
});

describe("how far calls have got with what the last message asks for", () => {
  const tools = [
    { name: "look", effect: "look" },
    { name: "book", effect: "write" },
  ] as const;
  /** A message, then calls as "name: result". */
  const progress = (message: string, ...calls: string[]) =>
    readProgress(
      [
        { kind: "user", text: message },
        ...calls.flatMap((one): SessionEvent[] => {
          const [name, text] = one.split(": ") as [string, string];
          return [
            { kind: "call", text: name },
            { kind: "result", text },
          ];
        }),
      ],
      tools,
    );

  it.each([
    ["a question that a look answered", "answered", "Which rooms are free tomorrow?", ["look: Lark, Wren"]],
    [
      "a question that a look answered with a file that speaks of errors",
      "answered",
      "What does parse.ts do?",
      [`look: ${"const line = read();\n".repeat(20)}// error: unused`],
    ],
    ["a question whose look failed", "unclear", "Which rooms are free tomorrow?", ["look: error 502"]],
    [
      "two wishes of which one is done",
      "behind",
      "Book the Lark for Ada and write to her sister",
      ["book: ok"],
    ],
    [
      "two wishes that are done",
      "counted",
      "Book the Lark for Ada and reserve a table for two",
      ["book: ok", "book: ok"],
    ],
    [
      "a failed call, which is none",
      "behind",
      "Book the Lark for Ada and reserve a table for two",
      ["book: error", "book: ok"],
    ],
    ["a look, after which something is to be changed", "unclear", "Book the Lark for Ada", ["look: Lark"]],
    [
      "tests that pass after a change",
      "passed",
      "Fix the price and run the tests",
      ["book: ok", "look: 7 passed; 0 failed"],
    ],
    [
      "tests of which one fails",
      "unclear",
      "Fix the price and run the tests",
      ["book: ok", "look: 1 failed, 6 passed"],
    ],
    ["tests that pass before any change", "behind", "Fix the price and run the tests", ["look: 7 passed"]],
    ["no call yet", "unclear", "Book the Lark for Ada", []],
    [
      "remarks, which ask for nothing",
      "named",
      "Oh no. The projector is broken. Book the Lark for Ada",
      ["book: ok"],
    ],
    ["a question behind a remark", "answered", "Ada called in sick. Which rooms are free?", ["look: Lark"]],
    [
      "a look for a message that ends with a question",
      "looked",
      "Book the Lark for Ada, or is it taken?",
      ["look: Lark", "look: free"],
    ],
  ] as const)("%s: %s", (_name, wanted, message, calls) => {
    expect(progress(message, ...calls)).toBe(wanted);
  });

  it.each([
    ["Go", "ok  \texample.com/w/routes\t0.104s"],
    ["Python", "test_a ... ok\n\nRan 41 tests in 0.10s\n\nOK"],
    ["Bun", " 7 pass\n 0 fail\nRan 7 tests across 1 file."],
    ["Gradle", "BUILD SUCCESSFUL in 3s"],
  ])("is `passed` when tests pass after a change, as %s says it", (_name, said) => {
    expect(progress("Fix the price", "book: ok", `look: ${said}`)).toBe("passed");
  });

  it("counts no change for a list of the agent's own steps, nor for a shell that only looks", () => {
    const after = (...turns: SessionEvent[]) => readProgress([user("Add dark mode"), ...turns], tools);
    expect(after(call("TodoWrite"), result("modified"))).toBe("unclear");
    expect(after(call("Bash", { command: "ls src" }), result("a.ts"))).toBe("unclear");
    expect(after(call("Bash", { command: "rm a.ts" }), result("done"))).toBe("even");
  });

  it("is `thanked` after a short message of thanks", () => {
    const done = [user("Book the Lark"), call("book"), result("ok")];
    expect(readProgress([...done, user("perfect, thanks!")], tools)).toBe("thanked");
    expect(readProgress([...done, user("and the Wren")], tools)).toBe("unclear");
  });

  it.each<[string, string]>([
    ["Tests pass now, thanks", "finished"],
    ["great, it works!", "finished"],
    ["the build passes again, good work", "finished"],
    ["everything is green", "finished"],
    ["works now, thank you!", "finished"],
    ["works now? thanks", "unclear"],
    ["thanks! do you have it in blue?", "unclear"],
    ["that works, thanks", "thanked"],
    ["works, thanks", "thanked"],
    ["Run the tests, thanks", "thanked"],
    ["it works, now commit it", "unclear"],
    ["does it work now?", "unclear"],
  ])("is read from what the user says of it: %s, %s", (message, progress) => {
    const done = [user("Fix the parser"), call("edit_file"), result("ok")];
    expect(readProgress([...done, user(message)], tools)).toBe(progress);
  });

  it.each<[string, string, string]>([
    ["Bash", "TypeError: x is not a function", "unclear"],
    ["Bash", "sqlite3.OperationalError: database is busy", "unclear"],
    ["Bash", "panic: nil map\n\ngoroutine 1 [running]:", "unclear"],
    ["Bash", "Segmentation fault (core dumped)", "unclear"],
    ["Bash", "KeyError\n", "unclear"],
    ["Bash", "TypeError 812\nKeyError 90", "answered"],
    ["Bash", "ErrorBoundary.tsx", "answered"],
    ["Bash", "// panic: never", "answered"],
    ["read_file", "TypeError: x is not iterable\nYou spread an object", "answered"],
  ])(
    "what crashed has answered no question, what tells of a crash may have: %s %j",
    (tool, text, progress) => {
      const offered = [...tools, { name: "read_file", effect: "look" as const, needs: [] }];
      const turns = [user("What does the log say of TypeError?"), call(tool), result(text)];
      expect(readProgress(turns, offered)).toBe(progress);
    },
  );

  it.each([
    "ok never mind then, bye",
    "Never mind.",
    "oh wait, forget it, thanks",
    "scratch that",
    "oh ok, then forget it",
    "in that case leave it",
    "ok, don't bother",
  ])("a message that only takes back what was asked for: %s", (message) => {
    const asked = [user("Book the Lark"), call("find_customer"), result("ok")];
    expect(readProgress([...asked, user(message)], tools)).toBe("finished");
    expect(readProgress([user(message)], tools)).toBe("unclear");
  });

  it.each(["never mind the price, book it", "forget it and cancel the other one", "scratch that, for four"])(
    "not a message that asks for something besides: %s",
    (message) => {
      const asked = [user("Book the Lark"), call("find_customer"), result("ok")];
      expect(readProgress([...asked, user(message)], tools)).toBe("unclear");
    },
  );

  it("does not count parts that ask for nothing by the reader of wishes", () => {
    const turns = [user("Book the Lark, three rooms, up to 1300"), call("book"), result("ok")];
    expect(readProgress(turns, tools)).toBe("behind");
    expect(readProgress(turns, tools, [true, false, false])).toBe("counted");
  });

  it("counts a change as made whose error field says that there is none", () => {
    const turns = [user("Update the price"), call("book"), result("ok: true\nerror: null")];
    expect(readProgress(turns, tools)).toBe("counted");
  });

  it("counts a build that fails as not made", () => {
    const turns = [
      user("Update the price"),
      call("book"),
      result("Compiled 60 files of the shop in 12.3 s, with 2 errors"),
    ];
    expect(readProgress(turns, tools)).toBe("unclear");
  });

  it("counts the calls since the last message alone", () => {
    const turns: SessionEvent[] = [
      { kind: "user", text: "Book the Lark for Ada" },
      { kind: "call", text: "book" },
      { kind: "result", text: "ok" },
      { kind: "user", text: "Book the Wren for Bob and reserve a table for two" },
      { kind: "call", text: "book" },
      { kind: "result", text: "ok" },
    ];
    expect(readProgress(turns, tools)).toBe("behind");
  });
});
