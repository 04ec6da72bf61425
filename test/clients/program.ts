/** What a large program needs of us: its packages, the files and variables of its section in docs/clients.md, its command line. */
import type { Installed } from "./install.ts";
import type { Command } from "./run-program.ts";

export type Place = { home: string; workspace: string };
export type Target = {
  /** The service, without a path. */
  url: string;
  apiKey: string;
  model: string;
};

export type Program = {
  /** With its mode, where it has several. */
  name: string;
  /** From the registry; the first one's version is printed. */
  packages: readonly string[];
  /** A file of test/clients/libraries that is put beside its packages. */
  driver?: string;
  /** Writes its files below `home`. */
  prepare?(place: Place, target: Target): Promise<void>;
  /** One task without a terminal: it may use its tools unasked, and prints what the model says. */
  command(task: string, target: Target, place: Place, installed: Installed): Command;
};
