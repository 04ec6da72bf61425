/** A script of ours as a child process, which prints `listening URL` and ends with its parent. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type Child = { url: string; pid: number; stop(): Promise<void> };

/** Rejects when it ends, or says nothing for 30 s, before it listens. */
export async function startChild(nodeArguments: string[], env: Record<string, string> = {}): Promise<Child> {
  const child = spawn(process.execPath, nodeArguments, {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text).slice(-2_000);
  });
  // A child ends when its stdin does, also if its parent was killed. EPIPE is no error of the parent's.
  child.stdin.on("error", () => undefined);
  const url = await untilListening(child).catch(() => {
    child.kill("SIGKILL");
    throw new Error(`${nodeArguments.at(-1)} did not start: ${complaints}`);
  });
  const exited = once(child, "exit");
  return {
    url,
    pid: child.pid!,
    stop: async () => {
      child.kill("SIGTERM");
      const kill = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await exited;
      clearTimeout(kill);
    },
  };
}

function untilListening(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    const fail = () => failed(new Error("did not listen"));
    const timer = setTimeout(fail, 30_000);
    child.once("exit", fail);
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const url = /^listening (\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      child.off("exit", fail);
      found(url);
    });
  });
}
