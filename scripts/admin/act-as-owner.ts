/**
 * Root's admin commands act as the user whose database it is: files that root's sqld writes, from a cron job for example, would keep the
 * service of that user from starting.
 */
import { closeSync, openSync, statSync } from "node:fs";
import { findBinary } from "../self-host/binaries.ts";

/** Becomes the owner of the database's folder, or of DATA_DIR without one. Nothing changes unless root runs the command. */
export function actAsOwner(dataDirectory: string, databaseDirectory: string): void {
  const owner = [databaseDirectory, dataDirectory]
    .map((path) => statSync(path, { throwIfNoEntry: false }))
    .find((stats) => stats !== undefined);
  if (process.getuid?.() !== 0 || owner === undefined || owner.uid === 0) return;
  // Found before: in a checkout that only root may enter the owner finds no program.
  const needed = [dataDirectory, findBinary("sqld")];
  try {
    // The folder of a container's user may lie below one that only root may enter.
    if (!canOwnerOpen(owner, needed)) return;
    process.setgroups!([owner.gid]);
    process.setgid!(owner.gid);
    process.setuid!(owner.uid);
  } catch {
    // A container may keep root from becoming another user; then the service there is root's, too.
  }
}

/** Asked with the owner's rights; root's are back afterwards, also where this fails. */
function canOwnerOpen(owner: { uid: number; gid: number }, paths: readonly string[]): boolean {
  try {
    process.setegid!(owner.gid);
    process.seteuid!(owner.uid);
    return paths.every(canOpen);
  } finally {
    process.seteuid!(0);
    process.setegid!(0);
  }
}

function canOpen(path: string): boolean {
  try {
    closeSync(openSync(path, "r"));
    return true;
  } catch {
    return false;
  }
}
