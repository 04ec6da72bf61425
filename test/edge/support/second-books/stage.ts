/** One account with two keys, two edges and an aggregator, and a sequence played on them, all steps at once. */
import { releaseExpired } from "../../../../edge/billing/sweep.ts";
import { addCredit, setSuspended } from "../../../../edge/db/accounts.ts";
import { revokeApiKey } from "../../../../edge/db/api-keys.ts";
import { openTestDatabase } from "../accounts.ts";
import { addKey, newCaller } from "../app.ts";
import { createAggregator } from "./aggregator.ts";
import { send, type Told, turnsOf } from "./client.ts";
import { createEdge, type Holds } from "./edges.ts";
import type { Ask, Sequence } from "./sequence.ts";

type Key = { keyId: string; apiKey: string };
type Step<Name> = Extract<Sequence["steps"][number], { do: Name }>;
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export class Stage {
  readonly aggregator = createAggregator();
  readonly holds: Holds = new Map();
  readonly #edges;
  readonly caller;
  readonly told: Told[] = [];
  addedMicro: number;
  readonly #keys: Key[];
  readonly #database = openTestDatabase();
  /** True, and listed, only while requests are sure to be refused. */
  #suspended = false;
  readonly #revoked = new Set<number>();
  #changes = 0;
  /** One suspension after the other: the first to end lifts them all. */
  #suspending: Promise<void> = Promise.resolve();

  private constructor(
    caller: Awaited<ReturnType<typeof newCaller>>,
    keys: Key[],
    { creditMicro, inFlight }: Sequence,
  ) {
    this.caller = caller;
    this.#keys = keys;
    this.addedMicro = creditMicro;
    this.#edges = [0, 1].map(() => createEdge(this.aggregator, this.holds, inFlight));
  }

  static async open(sequence: Sequence): Promise<Stage> {
    const caller = await newCaller(sequence.creditMicro);
    return new Stage(caller, [caller, await addKey(caller.accountId)], sequence);
  }

  /** Resolves when every step, and the work behind it, has ended. */
  async play(steps: Sequence["steps"]): Promise<void> {
    await Promise.all(
      steps.map(async (step, index) => {
        await sleep(step.pause);
        if (step.do === "ask") return this.#ask(step, index);
        return (this.#others[step.do] as (step: Sequence["steps"][number]) => Promise<void>)(step);
      }),
    );
  }

  async #ask(asked: Ask, index: number): Promise<void> {
    for (let turn = 0; turn < turnsOf(asked); turn++) {
      const group = `ask-${index}-turn-${turn}`;
      this.aggregator.expect(group, asked.calls);
      const sendOnce = async (nth: number, edge: number) => {
        const { apiKey } = this.#keys[asked.key]!;
        const watch = () => ({
          shutOut: this.#suspended || this.#revoked.has(asked.key),
          changes: this.#changes,
        });
        this.told.push(await send({ asked, group, turn, nth, apiKey, edge: this.#edges[edge]!, watch }));
      };
      const first = sendOnce(0, asked.edge);
      if (asked.again?.when === "after") await first;
      await Promise.all([first, asked.again && sendOnce(1, asked.again.edge)]);
    }
  }

  readonly #others = {
    topUp: async ({ amountMicro }: Step<"topUp">) => {
      const { accountId } = this.caller;
      await addCredit(this.#database, { accountId, amountMicro, reason: "top-up", now: 1 });
      this.addedMicro += amountMicro;
    },
    sweep: async () => void (await releaseExpired(this.#database, { now: Date.now() })),
    suspend: (step: Step<"suspend">) => {
      this.#suspending = this.#suspending.then(() => this.#suspend(step));
      return this.#suspending;
    },
    revoke: async ({ key }: Step<"revoke">) => {
      await revokeApiKey(this.#database, this.#keys[key]!.keyId, Date.now());
      this.#revoked.add(key);
    },
    reprice: async ({ factor, learnMs }: Step<"reprice">) => {
      this.aggregator.setFactor(factor);
      await Promise.all(
        this.#edges.map(async (edge, at) => {
          await sleep(learnMs[at]!);
          edge.learn(factor);
        }),
      );
    },
  };

  async #suspend({ lastsMs }: Step<"suspend">): Promise<void> {
    const { accountId } = this.caller;
    await setSuspended(this.#database, accountId, Date.now());
    this.#suspended = true;
    await sleep(lastsMs);
    this.#suspended = false;
    this.#changes += 1;
    await setSuspended(this.#database, accountId, null);
  }
}
