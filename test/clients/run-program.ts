/** A program as a child process in a home of its own: what it printed, when, and how it ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

export type Command = { command: string; args: readonly string[]; env?: Record<string, string> };
export type ProgramRun = {
  /** Both streams, escape sequences taken out. */
  output(): string;
  /** Milliseconds from the start until the output holds this; undefined if it ends, or the time does, without. */
  untilSays(words: string | RegExp, timeoutMs: number): Promise<number | undefined>;
  /** Exit code; "timeout" where it had to be killed. */
  untilEnds(timeoutMs: number): Promise<number | string>;
  signal(name: NodeJS.Signals): void;
};

export function startProgram(
  { command, args, env }: Command,
  place: { home: string; workspace: string },
): ProgramRun {
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd: place.workspace,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: place.home,
      XDG_CONFIG_HOME: `${place.home}/.config`,
      XDG_DATA_HOME: `${place.home}/.local/share`,
      XDG_CACHE_HOME: `${place.home}/.cache`,
      XDG_STATE_HOME: `${place.home}/.local/state`,
      TMPDIR: process.env.TMPDIR ?? "/tmp",
      TERM: "dumb",
      NO_COLOR: "1",
      CI: "1",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let text = "";
  let ended: number | string | undefined;
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      tell();
    });
  }
  child.once("error", (error) => {
    text += `\n${error.message}`;
    ended = "not started";
    tell();
  });
  child.once("close", (code, signal) => {
    ended ??= code ?? signal ?? "ended";
    tell();
  });
  const output = () => stripVTControlCharacters(text);
  const signal = (name: NodeJS.Signals) => {
    try {
      // With everything it has started itself.
      process.kill(-child.pid!, name);
    } catch {
      // It has ended.
    }
  };
  /** Resolves when `test` is true, or false after the time. */
  const until = (test: () => boolean, timeoutMs: number) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => finish(false), timeoutMs);
      const look = () => {
        if (test()) finish(true);
      };
      const finish = (found: boolean) => {
        clearTimeout(timer);
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
    });
  return {
    output,
    signal,
    untilSays: async (words, timeoutMs) => {
      const says = () => (typeof words === "string" ? output().includes(words) : words.test(output()));
      await until(() => says() || ended !== undefined, timeoutMs);
      return says() ? Math.round(performance.now() - startedAt) : undefined;
    },
    untilEnds: async (timeoutMs) => {
      if (await until(() => ended !== undefined, timeoutMs)) return ended!;
      signal("SIGKILL");
      await Promise.race([once(child, "close"), new Promise((resolve) => setTimeout(resolve, 2_000))]);
      return "timeout";
    },
  };
}
