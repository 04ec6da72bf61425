/** The operator's commands, in the order of the help. */
import { migrate } from "../migrate.ts";
import { accountCommands } from "./account-commands.ts";
import type { Command } from "./command.ts";
import { keyCommands } from "./key-commands.ts";
import { ledgerCommands } from "./ledger-commands.ts";
import { vaultCommands } from "./vault-commands.ts";

export const commands: readonly Command[] = [
  ...accountCommands,
  ...keyCommands,
  ...ledgerCommands,
  ...vaultCommands,
  {
    name: "migrate",
    summary: "Brings the database to the newest schema",
    options: {},
    makesDatabase: true,
    async run({ url, authToken }) {
      await migrate(url, authToken);
      return { output: { migrated: true } };
    },
  },
];
