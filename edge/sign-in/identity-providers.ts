/** The table of identity providers: a new one is a row here and in shared/identity-providers.ts. */
import type { IdentityProvider } from "../../shared/identity-providers.ts";
import { github } from "./github.ts";
import { google } from "./google.ts";
import type { IdentityRow } from "./identity.ts";
import { telegram } from "./telegram.ts";

export const identityRows: Readonly<Record<IdentityProvider, IdentityRow>> = { github, google, telegram };
