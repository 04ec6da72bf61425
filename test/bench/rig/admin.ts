/** The operator's command line against a measured service. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { root } from "../../support/service.ts";

/** What `npm run admin -- ARGUMENTS --json` prints, read. Rejects where the command fails. */
export async function admin(service: { env: Record<string, string> }, ...rest: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/admin.ts", ...rest, "--json"], {
    cwd: root,
    env: service.env,
    maxBuffer: 512 * 1024 * 1024,
  });
  return JSON.parse(stdout);
}

/** The id of the demo account, after it was given enough credit for any measurement. */
export async function fillDemoAccount(service: { env: Record<string, string> }): Promise<string> {
  const { accounts } = await admin(service, "account", "list");
  const id: string = accounts[0].account_id;
  await admin(service, "credits", "add", "--account", id, "--amount", "1000");
  return id;
}
