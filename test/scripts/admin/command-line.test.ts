import { describe, expect, test } from "vitest";
import { maxKeyNameChars } from "../../../edge/db/schema.ts";
import { readCommandLine } from "../../../scripts/admin/command-line.ts";
import { commands } from "../../../scripts/admin/commands.ts";

describe("readCommandLine", () => {
  test("finds the command and its options in any order, with or without =", () => {
    for (const words of [
      ["account", "create", "--email", "a@example.com", "--credits", "5", "--json"],
      ["--json", "account", "--credits=5", "create", "--email=a@example.com"],
    ]) {
      const line = readCommandLine(words);
      expect(line).toMatchObject({
        command: { name: "account create" },
        options: { email: "a@example.com", credits: "5" },
      });
    }
  });

  test("fills in what has a default", () => {
    expect(readCommandLine(["ledger", "list", "--account", "acct_1"])).toMatchObject({
      options: { limit: "100" },
    });
  });

  test("leaves out what is optional, and says so in the help", () => {
    expect(readCommandLine(["key", "list"])).toHaveProperty("options", {});
    expect(readCommandLine(["key", "list", "--help"])).toHaveProperty(
      "help",
      expect.stringContaining("key list [--account ID] [--limit N]"),
    );
  });

  test("takes a switch without a value, anywhere", () => {
    expect(readCommandLine(["key", "create", "--manage", "--account", "a", "--name", "n"])).toMatchObject({
      options: { manage: "true", account: "a" },
    });
    expect(readCommandLine(["key", "create", "--account", "a", "--name", "n"])).not.toHaveProperty(
      "options.manage",
    );
  });

  test.each([
    [["nonsense"], 'There is no command "nonsense"'],
    [["account", "create", "--email", "a@example.com"], "account create needs --credits N."],
    [["account", "create", "--email", "", "--credits", "5"], "account create needs --email E."],
    [["key", "list", "--account", ""], "key list needs --account ID."],
    [["account", "show", "--account", "a", "--name", "x"], "account show takes no --name"],
    [["account", "show", "--bogus"], "Unknown option '--bogus'"],
    [["account", "show", "--account"], "argument missing"],
    [
      ["credits", "add", "--account", "a", "--amount", "-1"],
      "'--amount' has a value that begins with a dash",
    ],
    [["key", "revoke", "--key", "a", "--key=b"], "--key is given 2 times; a command takes one."],
    [["--json"], "There is no command:"],
  ])("refuses %j in one sentence", (words, why) => {
    expect(() => readCommandLine(words)).toThrow(why);
  });

  test("takes a value of as many characters as the API allows, and none with one more", () => {
    const most = maxKeyNameChars;
    const create = (name: string) => readCommandLine(["key", "create", "--account", "a", "--name", name]);
    expect(create("x".repeat(most))).toMatchObject({ options: { name: "x".repeat(most) } });
    expect(() => create("x".repeat(most + 1))).toThrow(
      `--name has ${most + 1} characters, and may have ${most} at most.`,
    );
  });

  test("explains every command, and all of them", () => {
    expect(readCommandLine([])).toEqual(readCommandLine(["--help"]));
    expect(readCommandLine(["help"])).toEqual(readCommandLine(["--help"]));
    for (const command of commands) {
      const line = readCommandLine([...command.name.split(" "), "--help"]);
      expect(line).toHaveProperty("help", expect.stringContaining(command.name));
      expect(readCommandLine(["help", ...command.name.split(" ")])).toEqual(line);
      expect(readCommandLine(["--help"])).toHaveProperty("help", expect.stringContaining(command.name));
    }
  });
});
