// The head that reads wishes, as it is served: what it says of plain wishes, and that a text's answer does not depend on who is read beside it.
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadWorldModel, type WorldModel } from "../../../gpu-worker/world-model/world-model.ts";
import { actionCount } from "../../../shared/planning.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));

let model: WorldModel;
beforeAll(async () => {
  model = await loadWorldModel({ checkpointDir, device: "cpu" });
});
afterAll(() => model.close());

type Asking = { part: string; goal?: string };

/** Copies: what is read lies in memory that the next batch uses again. */
async function read(asking: readonly Asking[]): Promise<Float32Array[]> {
  const texts = asking.flatMap(({ part, goal = part }) => [part, goal]);
  const vectors = await model.encoder.encode(
    texts.map((text) => ({ text, keep: "start", remember: false }) as const),
  );
  return model.scratch.during(async () => {
    const pairs = asking.map((_, at) => {
      return { part: vectors[2 * at]!.vector, goal: vectors[2 * at + 1]!.vector };
    });
    return (await model.heads.wishes(pairs)).map((chances) => Float32Array.from(chances));
  });
}
/** The likeliest action's name; `none` where nothing is asked for. */
const wantedOf = (chances: Float32Array): string => {
  const id = chances.indexOf(Math.max(...chances));
  return id === actionCount ? "none" : model.table.actions[id]!.name;
};

describe("the reader of wishes", () => {
  it.each<[text: string, actions: string[]]>([
    ["Track my package", ["track_shipment", "track_order", "track"]],
    ["and let Anna know", ["send_message", "send", "notify"]],
    ["Encrypt the tax folder", ["encrypt_file", "encrypt"]],
    ["what will the weather be like in Oslo?", ["get_weather", "get_forecast", "check_weather"]],
    ["book us a table for four", ["book_restaurant", "book", "book_table"]],
    ["My sister lands in Porto on the 14th", ["none"]],
    ["Thanks a lot for your help", ["none"]],
  ])("takes %j for what it asks for", async (text, actions) => {
    expect(actions).toContain(wantedOf((await read([{ part: text }]))[0]!));
  });

  it("takes a part that points at the rest of its goal for what that says", async () => {
    const parts = await read([
      { part: "kill it", goal: "my card was stolen in the metro, kill it" },
      { part: "kill it", goal: "the export has been hanging since noon, kill it" },
    ]);
    expect(["block_card", "lock_card"]).toContain(wantedOf(parts[0]!));
    expect(["kill_process", "stop", "cancel"]).toContain(wantedOf(parts[1]!));
  });

  it("gives probabilities of every action and of none, the same bits alone and among others", async () => {
    const texts = Array.from({ length: 37 }, (_, at) => {
      return { part: `Send invoice ${at} to the ${at + 2} tenants` };
    });
    const together = await read(texts);
    for (const chances of together) {
      expect(chances).toHaveLength(actionCount + 1);
      expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(1, 4);
    }
    for (const at of [0, 16, 36]) expect((await read([texts[at]!]))[0]).toEqual(together[at]);
    expect(await read([])).toEqual([]);
  });
});
