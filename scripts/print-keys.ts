/**
 * Prints fresh secrets for a deployment, ready to be set as variables: `npx node scripts/print-keys.ts`.
 * Nothing is stored; the service on one machine makes its own (secrets.ts).
 */
import { createSecrets, publicKeysOf } from "./self-host/secrets.ts";

const { vaultKeys, signingKey } = await createSecrets();
process.stdout.write(
  [
    `EDGE_SIGNING_KEY='${JSON.stringify(signingKey)}'`,
    `EDGE_PUBLIC_KEYS='${JSON.stringify(publicKeysOf(signingKey))}'`,
    `VAULT_KEYS='${vaultKeys}'`,
    "",
  ].join("\n"),
);
