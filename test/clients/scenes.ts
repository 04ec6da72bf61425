/** What each program is led through, and what must be true afterwards: on its screen, at the provider, in the ledger. */
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProviderKind } from "../../shared/providers.ts";
import type { Caller, Gateway } from "../support/gateway.ts";
import { createAgentModel, marks, notes, seen, spoken, written } from "./agent-model.ts";
import type { Installed } from "./install.ts";
import type { Place, Program, SceneName, Target } from "./program.ts";
import { type ProgramRun, startProgram } from "./run-program.ts";

export const kinds = [
  { kind: "alpha", name: "OpenAI", model: "svc-x1ac-base-gpt-4o" },
  { kind: "beta", name: "Anthropic", model: "svc-x1ac-base-claude-sonnet-4-5" },
  { kind: "gamma", name: "Gemini", model: "svc-x1ac-base-gemini-2.5-flash" },
] as const;
export type Kind = (typeof kinds)[number];

/** `problem` undefined: passed. */
export type Outcome = { problem?: string; output: string; ms: number };

/** How long a program may run. Long, since the machine may be busy. */
const runMs = 240_000;
const leaveMs = 3_000;

export type Stage = { gateway: Gateway; caller: Caller; program: Program; installed: Installed };

type Scene = {
  task: string;
  /** Throws Error, whose message is what went wrong. */
  play(run: ProgramRun, act: Act): Promise<void>;
};
type Act = Stage & { kind: Kind; place: Place; chargedBefore: number };

const demand = (fact: boolean, problem: string): void => {
  if (!fact) throw new Error(problem);
};

const chatRequests = ({ gateway }: Stage, kind: ProviderKind) =>
  gateway.provider.requests.filter((request) => request.kind === kind && request.endpoint === "chat");

async function untilAnswered(run: ProgramRun): Promise<void> {
  const end = await run.untilEnds(runMs);
  demand(end === 0, `ended with ${end}`);
}

const scenes: Readonly<Record<SceneName, Scene>> = {
  text: {
    task: `Greet me in one sentence. ${marks.text}`,
    async play(run) {
      await untilAnswered(run);
      demand(run.output().includes(spoken), "the answer is not on the screen");
    },
  },
  stream: {
    task: `Greet me in one sentence. ${marks.text}`,
    async play(run, act) {
      await untilAnswered(run);
      // Newest first.
      const all = await act.caller.charges();
      const charges = all.slice(0, all.length - act.chargedBefore);
      demand(
        charges.some(({ generation }) => generation?.streamed === true),
        "it did not ask for a stream",
      );
      demand(
        charges.every(({ outcome }) => outcome === "completed"),
        "a charge is not of a completed request",
      );
      demand(run.output().includes(spoken), "the answer is not on the screen");
    },
  },
  tools: {
    task: `Read first.txt and second.txt, write the answer down, and say what they say. ${marks.tools}`,
    async play(run, act) {
      await untilAnswered(run);
      const file = join(act.place.workspace, written.file);
      demand(existsSync(file), "the second turn's tool did not run");
      demand(
        (await readFile(file, "utf8")).trim() === written.text,
        "the second turn's tool ran with other arguments",
      );
      const words = Object.values(notes).filter((word) => !run.output().includes(word));
      demand(words.length === 0, `results of the first turn were lost: ${words.join(", ")}`);
      demand(run.output().includes(spoken), "the last turn is not on the screen");
      demand(chatRequests(act, act.kind.kind).length >= 3, "there were fewer than three turns");
    },
  },
  object: {
    task: `Which bird do you see, and how many legs has it? ${marks.object}`,
    async play(run) {
      await untilAnswered(run);
      demand(run.output().includes(JSON.stringify(seen)), "the object is not on the screen");
    },
  },
  error: {
    task: `Do it. ${marks.error}`,
    async play(run) {
      const shown = await run.untilSays("E-4711", runMs);
      demand(shown !== undefined, "the provider's sentence is not on the screen");
    },
  },
  abort: {
    task: `Talk on and on. ${marks.abort}`,
    async play(run, act) {
      const { kind } = act.kind;
      const sent = await act.gateway.provider.waitFor(
        (request) =>
          request.kind === kind &&
          request.endpoint === "chat" &&
          JSON.stringify(request.body).includes(marks.abort),
        runMs,
      );
      // The answer takes far longer than a second, so it is under way by then.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const leftAt = Date.now();
      run.signal("SIGINT");
      const end = await run.untilEnds(10_000);
      demand(end !== "timeout", "it did not end on SIGINT within 10 s");
      await act.caller.untilSettled(5_000);
      demand(sent.closedEarly, "the provider's call was not ended");
      demand(
        sent.closedAtMs! - leftAt < leaveMs,
        `the provider's call ended after ${sent.closedAtMs! - leftAt} ms`,
      );
    },
  },
};

/** A home and a workspace for one run, gone afterwards. */
export async function withPlace<Result>(work: (place: Place) => Promise<Result>): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), "svc-home-"));
  const workspace = await mkdtemp(join(tmpdir(), "svc-work-"));
  try {
    for (const [file, word] of Object.entries(notes)) await writeFile(join(workspace, file), `${word}\n`);
    return await work({ home, workspace });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
    await rm(workspace, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Starts the program with a task; what is left of it is killed when the work is done. */
export async function withRun<Result>(
  { program, installed }: Stage,
  { task, target, place }: { task: string; target: Target; place: Place },
  work: (run: ProgramRun) => Promise<Result>,
): Promise<Result> {
  await program.prepare?.(place, target, installed);
  const run = startProgram(program.command(task, target, place, installed), place);
  try {
    return await work(run);
  } finally {
    run.signal("SIGKILL");
  }
}

export async function playScene(stage: Stage, kind: Kind, name: SceneName): Promise<Outcome> {
  const { task, play } = scenes[name];
  const { gateway, caller } = stage;
  return withPlace(async (place) => {
    gateway.provider.reset();
    for (const { kind: provider } of kinds)
      gateway.provider.respond(
        provider,
        createAgentModel(() => place.workspace),
      );
    const target = { url: gateway.service.url, apiKey: caller.apiKey, model: kind.model, scene: name };
    const chargedBefore = (await caller.charges()).length;
    const startedAt = Date.now();
    return withRun(stage, { task, target, place }, async (run) => {
      const problem = await play(run, { ...stage, kind, place, chargedBefore }).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      return { ...(problem !== undefined && { problem }), output: run.output(), ms: Date.now() - startedAt };
    });
  });
}
