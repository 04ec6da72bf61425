/**
 * The whole service with the fake provider as all four providers and a pool key: what tests with official
 * clients need. Accounts are made and read by the operator's CLI, in this process.
 */
import { runAdmin } from "../../scripts/admin/run-admin.ts";
import type { ProviderKind } from "../../shared/chat.ts";
import { type FakeProvider, startFakeProvider } from "./fake-provider.ts";
import { root, startService, type TestService } from "./service.ts";

export type AccountState = { balance: number; available: number; open_holds: number };
export type LedgerRow = {
  kind: string;
  amount: number;
  outcome: string | null;
  output_tokens: number | null;
  flag: string | null;
};

export type TestAccount = {
  id: string;
  apiKey: string;
  show(): Promise<AccountState>;
  /** The charges, newest first. */
  charges(): Promise<LedgerRow[]>;
};

export type Gateway = {
  /** Root of the API as SDKs want it: `…/v1`. */
  baseUrl: string;
  service: TestService;
  provider: FakeProvider;
  createAccount(credits: number): Promise<TestAccount>;
  /** Whether every balance is the sum of its ledger. */
  ledgerIsSound(): Promise<boolean>;
  stop(): Promise<void>;
};

/** Who pays and which wire is spoken: a caller's own key of each kind, or the pool. */
export type Payer = { name: string; kind: ProviderKind; model: string; headers: Record<string, string> };

export const payers: readonly Payer[] = [
  {
    name: "own key, alpha",
    kind: "alpha",
    model: "svc-x1ac-base-gpt-4o",
    headers: { "x-alpha-key": "sk-test-alpha" },
  },
  {
    name: "own key, beta",
    kind: "beta",
    model: "svc-x1ac-base-claude-sonnet-4-5",
    headers: { "x-beta-key": "sk-ant-test-beta" },
  },
  {
    name: "own key, gamma",
    kind: "gamma",
    model: "svc-x1ac-base-gemini-2.5-flash",
    headers: { "x-gamma-key": "AIzaTestGamma" },
  },
  {
    name: "own key, router",
    kind: "router",
    model: "svc-x1ac-base-meta-llama/llama-3.3-70b-instruct",
    headers: { "x-router-key": "sk-or-test-router" },
  },
  { name: "pool", kind: "router", model: "svc-x1ac-base-gpt-4o", headers: {} },
];

export async function startGateway(env: Record<string, string> = {}): Promise<Gateway> {
  const provider = await startFakeProvider();
  const service = await startService({
    env: {
      ALPHA_BASE_URL: provider.url("alpha"),
      BETA_BASE_URL: provider.url("beta"),
      GAMMA_BASE_URL: provider.url("gamma"),
      ROUTER_BASE_URL: provider.url("router"),
      POOL_ROUTER_KEY: "sk-or-test-pool",
      ...env,
    },
  }).catch(async (error: unknown) => {
    await provider.stop();
    throw error;
  });

  const admin = async (...words: string[]) => {
    const { code, stdout } = await runAdmin([...words, "--json"], service.env, root);
    return { code, output: JSON.parse(stdout) };
  };
  return {
    baseUrl: `${service.url}/v1`,
    service,
    provider,
    createAccount: async (credits) => {
      const account = await admin(
        "account",
        "create",
        "--email",
        "sdk@test.example",
        "--credits",
        `${credits}`,
      );
      const id: string = account.output.account_id;
      const key = await admin("key", "create", "--account", id, "--name", "test");
      return {
        id,
        apiKey: key.output.api_key,
        show: async () => (await admin("account", "show", "--account", id)).output,
        charges: async () => {
          const { output } = await admin("ledger", "list", "--account", id);
          return output.entries.filter(({ kind }: LedgerRow) => kind === "charge");
        },
      };
    },
    ledgerIsSound: async () => (await admin("ledger", "check")).output.ok,
    stop: async () => {
      await service.stop();
      await provider.stop();
    },
  };
}
