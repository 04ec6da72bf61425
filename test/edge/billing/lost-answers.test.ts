// A database that takes a statement and whose answer is lost: no credit stays held, and nothing is charged twice.
import { describe, expect, it } from "vitest";
import { takeHold } from "../../../edge/billing/hold.ts";
import { settle } from "../../../edge/billing/ledger.ts";
import { openDatabase } from "../../../edge/db/client.ts";
import { isDatabaseUnavailable } from "../../../edge/db/connection.ts";
import { newAccount } from "../support/accounts.ts";
import { databaseUrl } from "../support/database-url.ts";
import { database, hold, newHold, type Owner, read, rows, settlement } from "../support/holds.ts";

describe("takeHold", () => {
  /** One hold, over a database that answers the first statement so; `later` runs what was left for later. */
  function take(owner: Owner, amountMicro: number, answer: () => Promise<Response>, reaches: boolean) {
    const later: Promise<unknown>[] = [];
    const pauses: PromiseWithResolvers<void>[] = [];
    let sent = 0;
    const lossy = (async (address: string, init: RequestInit) => {
      sent += 1;
      if (sent > 1) return fetch(address, init);
      if (reaches) await (await fetch(address, init)).text();
      return answer();
    }) as typeof fetch;
    const services = {
      database: openDatabase({ url: databaseUrl, fetch: lossy }),
      waitUntil: (work: Promise<unknown>) => void later.push(work),
      sleep: () => {
        pauses.push(Promise.withResolvers<void>());
        return pauses.at(-1)!.promise;
      },
      now: () => 7,
    };
    const hold = { holdId: newHold(), accountId: owner.accountId, apiKeyId: owner.key.keyId, now: -1000 };
    const taken = takeHold({ ...hold, amountMicro }, services);
    const runLater = async () => {
      for (const pause of pauses) pause.resolve();
      await Promise.all(later);
    };
    return { hold, taken, runLater, sent: () => sent };
  }
  const lost = async () => {
    throw new Error("connection reset");
  };

  it("gives back the credit of a hold whose answer was lost, with a row that says so", async () => {
    const owner = await newAccount(database, 1_000);
    const { hold, taken, runLater } = take(owner, 600, lost, true);
    await expect(taken).rejects.toSatisfy(isDatabaseUnavailable);
    expect(await read(owner)).toMatchObject({ availableMicro: 400, openHolds: 1 });
    await runLater();
    expect(await read(owner)).toMatchObject({ balanceMicro: 1_000, availableMicro: 1_000, openHolds: 0 });
    const [row] = await rows(owner);
    expect(row).toMatchObject({ kind: "release", amountMicro: 0, holdId: hold.holdId, createdAt: 7 });
  });

  it("writes nothing where no hold was taken", async () => {
    const owner = await newAccount(database, 1_000);
    const { taken, runLater, sent } = take(owner, 600, lost, false);
    await expect(taken).rejects.toSatisfy(isDatabaseUnavailable);
    await runLater();
    expect(sent()).toBe(2);
    expect((await rows(owner)).map(({ kind }) => kind)).toEqual(["credit"]);
  });

  it("leaves a hold that was taken to its request, and asks nothing after a refusal", async () => {
    const owner = await newAccount(database, 1_000);
    const passed = take(owner, 600, lost, false);
    await expect(passed.taken).rejects.toThrow();
    await passed.runLater();
    expect(await takeHold({ ...passed.hold, amountMicro: 600 }, never)).toEqual({ granted: true });
    expect(await takeHold({ ...passed.hold, holdId: newHold(), amountMicro: 600 }, never)).toMatchObject({
      limit: "credit",
    });
    expect(await read(owner)).toMatchObject({ availableMicro: 400, openHolds: 1 });
  });

  const never = {
    database,
    waitUntil: () => expect.unreachable("nothing is left for later"),
    sleep: () => expect.unreachable("nothing is left for later"),
    now: () => 7,
  };
});

describe("settle", () => {
  describe("on a database that comes and goes", () => {
    const flaky = (failures: number, mode: "before" | "after") => {
      let left = failures;
      const send = (async (input: Request, init?: RequestInit) => {
        if (left > 0 && mode === "before") throw new Error(`lost, ${left--} to go`);
        const response = await fetch(input, init);
        if (left > 0) throw new Error(`answer lost, ${left--} to go`);
        return response;
      }) as typeof fetch;
      return openDatabase({ url: databaseUrl, fetch: send });
    };

    it.each(["before", "after"] as const)(
      "charges once when the connection breaks %s the statement",
      async (mode) => {
        const owner = await newAccount(database, 1_000);
        const holdId = newHold();
        await hold(owner, 600, holdId);
        const pauses: number[] = [];
        const sleep = async (delayMs: number) => pauses.push(delayMs);
        await settle(flaky(3, mode), settlement(owner, holdId, 250), { sleep });
        expect(pauses).toEqual([100, 500, 2000]);
        expect(await read(owner)).toMatchObject({ balanceMicro: 750, openHolds: 0 });
      },
    );

    it("gives up after its last attempt, and the hold stays for the sweep", async () => {
      const owner = await newAccount(database, 1_000);
      const holdId = newHold();
      await hold(owner, 600, holdId);
      const work = settle(flaky(9, "before"), settlement(owner, holdId, 250), { sleep: async () => {} });
      await expect(work).rejects.toSatisfy(isDatabaseUnavailable);
      expect(await read(owner)).toMatchObject({ balanceMicro: 1_000, openHolds: 1 });
    });
  });
});
