/** What a large program needs of us: its packages, the files and variables of its section in docs/clients.md, its command line. */
import type { Installed } from "./install.ts";
import type { Command } from "./run-program.ts";

export const sceneNames = ["text", "stream", "tools", "object", "error", "abort"] as const;
export type SceneName = (typeof sceneNames)[number];

export type Place = { home: string; workspace: string };
export type Target = {
  /** The service, without a path. */
  url: string;
  apiKey: string;
  model: string;
  /** What it is about to play; undefined where it is to be refused. */
  scene?: SceneName;
};

export const programScenes: readonly SceneName[] = ["text", "stream", "tools", "error", "abort"];

export type Program = {
  /** With its mode, where it has several. */
  name: string;
  /** From the registry, the latest where none is named (`zod@3`); the first one's version is printed. */
  packages: readonly string[];
  /** What it can be led through; programs have no typed objects. */
  scenes: readonly SceneName[];
  /** Writes its files below `home`. */
  prepare?(place: Place, target: Target, installed: Installed): Promise<void>;
  /** One task without a terminal: it may use its tools unasked, and prints what the model says. */
  command(task: string, target: Target, place: Place, installed: Installed): Command;
};
