/** A program or library under test: its packages, the files and variables of its section in docs/clients.md, its command line. */
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
  /** The scene that it is about to play; undefined in a test of refusals. */
  scene?: SceneName;
};

export const programScenes: readonly SceneName[] = ["text", "stream", "tools", "error", "abort"];

export type Program = {
  /** With its mode, where it has several. */
  name: string;
  /** From the registry, the latest where none is named (`zod@3`); the first one's version is printed. */
  packages: readonly string[];
  /** The scenes that it can play; only libraries can ask for a typed object. */
  scenes: readonly SceneName[];
  /** Writes its files below `home`. */
  prepare?(place: Place, target: Target, installed: Installed): Promise<void>;
  /** Runs one task without a terminal: the program uses its tools without asking, and prints what the model says. */
  command(task: string, target: Target, place: Place, installed: Installed): Command;
};
