/** What every measurement is: a name for `--only`, a title, and the run. */
import type { Effort, Result } from "./result.ts";
import type { Rig } from "./rig/rig.ts";

export type Measurement = {
  name: string;
  title: string;
  run(rig: Rig, effort: Effort): Promise<Result>;
};
