/** Parses the words after `admin` into one command and its options, or a request for help. Pure. */
import { parseArgs } from "node:util";
import type { Command, Option } from "./command.ts";
import { commands } from "./commands.ts";
import { AdminError } from "./failure.ts";

export type CommandLine = { command: Command; options: Record<string, string> } | { help: string };

/** @throws AdminError for an unknown command, and for unknown or missing options */
export function readCommandLine(words: readonly string[]): CommandLine {
  if (words[0] === "help") return readCommandLine([...words.slice(1), "--help"]);
  const { values, positionals } = parse(words);
  const { json, help, ...given } = values;
  const options = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, readOnce(name, value)]),
  );
  const command = commands.find(({ name }) => name === positionals.join(" "));
  // With --json a script calls: an empty command in it is a mistake, and help with code 0 would hide that.
  if (json && !help && positionals.length === 0)
    throw new AdminError("There is no command: see npm run admin -- --help.");
  if (help || positionals.length === 0) return { help: command ? helpOf(command) : overview() };
  if (command === undefined) {
    throw new AdminError(`There is no command "${positionals.join(" ")}": see npm run admin -- --help.`);
  }
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(command.options, name)) {
      throw new AdminError(
        `${command.name} takes no --${name}: see npm run admin -- ${command.name} --help.`,
      );
    }
  }
  for (const [name, option] of Object.entries(command.options)) {
    if (options[name] === undefined && option.fallback !== undefined) options[name] = option.fallback;
    checkValue(command, name, option, options[name]);
  }
  return { command, options };
}

/** @throws AdminError for a value that is missing, blank or too long */
function checkValue(command: Command, name: string, option: Option, given: string | undefined): void {
  const isMissing = given === undefined ? !option.optional : given.trim() === "";
  if (option.value !== undefined && isMissing)
    throw new AdminError(`${command.name} needs --${name} ${option.value}.`);
  if (given !== undefined && option.maxChars !== undefined && given.length > option.maxChars)
    throw new AdminError(
      `--${name} has ${given.length} characters, and may have ${option.maxChars} at most.`,
    );
}

/** @throws AdminError for a second value: `key revoke --key A --key B` would leave A as it is */
function readOnce(name: string, given: string[] | boolean): string {
  if (!Array.isArray(given)) return String(given);
  if (given.length > 1)
    throw new AdminError(`--${name} is given ${given.length} times; a command takes one.`);
  return given[0]!;
}

function parse(words: readonly string[]) {
  const known = commands.flatMap((command) => Object.entries(command.options));
  const options = Object.fromEntries(
    known.map(([name, { value }]) => [
      name,
      value === undefined
        ? { type: "boolean" as const }
        : { type: "string" as const, multiple: true as const },
    ]),
  );
  const flags = { json: { type: "boolean" as const }, help: { type: "boolean" as const, short: "h" } };
  try {
    const parsed = parseArgs({ args: [...words], options: { ...options, ...flags }, allowPositionals: true });
    return parsed as {
      values: Record<string, string[] | boolean> & { json?: boolean; help?: boolean };
      positionals: string[];
    };
  } catch (error) {
    // parseArgs writes a long explanation; its first sentence names the option.
    const [sentence] = (error as Error).message.split(/\.\s|\n/);
    const words = sentence
      ?.replace(/\.$/, "")
      .replace("argument is ambiguous", "has a value that begins with a dash");
    throw new AdminError(`${words}: see npm run admin -- --help.`);
  }
}

function overview(): string {
  const width = Math.max(...commands.map((command) => usageOf(command).length));
  const lines = commands.map((command) => `  ${usageOf(command).padEnd(width)}  ${command.summary}`);
  return [
    "npm run admin -- <command> [--json]",
    "",
    ...lines,
    "",
    "--json prints one JSON object (npm's own lines aside: npm run -s admin); --help after a command explains it.",
    "The database is LIBSQL_URL (with LIBSQL_AUTH_TOKEN), else the embedded one in DATA_DIR (.data).",
  ].join("\n");
}

function helpOf(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => {
    const fallback = option.fallback === undefined ? "" : ` (${option.fallback})`;
    return `  ${`--${name} ${option.value ?? ""}`.padEnd(14)}  ${option.meaning}${fallback}`;
  });
  return [`npm run admin -- ${usageOf(command)} [--json]`, "", `${command.summary}.`, ...options].join("\n");
}

function usageOf({ name, options }: Command): string {
  const words = Object.entries(options).map(([option, { value, fallback, optional }]) => {
    if (value === undefined) return `[--${option}]`;
    return fallback === undefined && !optional ? `--${option} ${value}` : `[--${option} ${value}]`;
  });
  return [name, ...words].join(" ");
}
