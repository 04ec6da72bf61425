/**
 * Measures the planner on development rows: tool top-1, abstention, calibration, actions, prefixes.
 * Run: node gpu-worker/training/measure.ts DATA_DIR CHECKPOINT_DIR [PLANNING_JSON_OVERRIDES]
 */
import type { PlanRequest } from "../../shared/planning.ts";
import { actAt, coveredShare, proximityAt, rootOf } from "../planning/policy.ts";
import { readSituations } from "../planning/situation.ts";
import { actionIds } from "../world-model/actions.ts";
import { loadWorldModel } from "../world-model/world-model.ts";
import { type Row, readRows } from "./rows.ts";

const [dataDir, checkpointDir, overrides = "{}"] = process.argv.slice(2);
if (!dataDir || !checkpointDir) throw new Error("usage: measure.ts DATA_DIR CHECKPOINT_DIR [OVERRIDES]");
const model = await loadWorldModel({ checkpointDir, device: "cpu", intraOpThreads: 2 });
Object.assign(model.manifest.planning, JSON.parse(overrides));
const config = model.manifest.planning;

const requestOf = ({ goal, state, tools = [] }: Row, history: PlanRequest["history"] = []): PlanRequest => ({
  size: "base",
  goal,
  state: state ?? "",
  history,
  tools: tools.map(({ name, description }) => ({ name, description: description ?? "", parameters: [] })),
  maxSteps: 5,
});

type Outcome = { scores: Float64Array; names: string[]; gold: string[] };

async function outcomes(rows: readonly Row[]): Promise<Outcome[]> {
  const situations = await readSituations(
    model,
    rows.map((row) => requestOf(row)),
  );
  return situations.map((situation, place) => ({
    scores: actAt(situation, rootOf(situation, config), { ...config, noToolScore: -9 }).scores.slice(0, -1),
    names: situation.set.candidates.map(({ name }) => name),
    gold: rows[place]!.actions,
  }));
}

const share = (values: readonly boolean[]) =>
  Number((values.filter(Boolean).length / values.length).toFixed(4));
const argmax = (values: Float64Array) =>
  values.reduce((best, value, at) => (value > values[best]! ? at : best), 0);

/** Probability of each candidate and of "none" last. */
function probabilities(scores: Float64Array, none: number, temperature: number): number[] {
  const all = [...scores, none];
  const peak = Math.max(...all);
  const weights = all.map((score) => Math.exp((score - peak) / temperature));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function calibrationError(pairs: readonly { probability: number; right: boolean }[]): number {
  const bins = Array.from({ length: 15 }, () => [] as { probability: number; right: boolean }[]);
  for (const pair of pairs) bins[Math.min(14, Math.floor(pair.probability * 15))]!.push(pair);
  const error = bins.reduce((sum, bin) => {
    if (bin.length === 0) return sum;
    const confidence = bin.reduce((total, { probability }) => total + probability, 0) / bin.length;
    return sum + (bin.length / pairs.length) * Math.abs(confidence - share(bin.map(({ right }) => right)));
  }, 0);
  return Number(error.toFixed(4));
}

const toolSets = {
  bfcl_multiple: readRows(dataDir, "dev/bfcl_multiple"),
  sealtools_test: readRows(dataDir, "dev/sealtools_test_in_domain").filter(
    ({ tools }) => (tools?.length ?? 0) > 1,
  ),
};
const measured: Record<string, Outcome[]> = {};
for (const [name, rows] of Object.entries(toolSets)) {
  measured[name] = await outcomes(rows);
  const top = measured[name].map(({ scores, names, gold }) => ({
    any: gold.includes(names[argmax(scores)]!),
    first: gold[0] === names[argmax(scores)],
  }));
  console.log(
    name,
    rows.length,
    "top-1 any",
    share(top.map(({ any }) => any)),
    "first",
    share(top.map(({ first }) => first)),
  );
}
const irrelevant = await outcomes(readRows(dataDir, "dev/bfcl_irrelevance"));

// Abstention and temperature: least mean negative log-likelihood, one request in five having no fitting tool.
const relevant = [...measured.bfcl_multiple!, ...measured.sealtools_test!.slice(0, 240)];
let fitted = { loss: Number.POSITIVE_INFINITY, none: 0, temperature: 0 };
for (let none = 0.1; none < 0.9; none += 0.02) {
  for (let temperature = 0.02; temperature < 0.2; temperature += 0.005) {
    const lossOf = ({ scores, names, gold }: Outcome) => {
      const chances = probabilities(scores, none, temperature);
      const right = chances.filter((_, at) =>
        gold[0] === "NONE" ? at === names.length : gold.includes(names[at] ?? ""),
      );
      return -Math.log(
        Math.max(
          1e-9,
          right.reduce((sum, chance) => sum + chance, 0),
        ),
      );
    };
    const meanLoss = (rows: readonly Outcome[]) =>
      rows.reduce((sum, row) => sum + lossOf(row), 0) / rows.length;
    const loss = 0.8 * meanLoss(relevant) + 0.2 * meanLoss(irrelevant);
    if (loss < fitted.loss) fitted = { loss, none, temperature };
  }
}
console.log(
  "fit: noToolScore",
  fitted.none.toFixed(2),
  "toolTemperature",
  fitted.temperature.toFixed(3),
  "loss",
  fitted.loss.toFixed(4),
);
for (const [label, none, temperature] of [
  ["fitted", fitted.none, fitted.temperature],
  ["manifest", config.noToolScore, config.toolTemperature],
] as const) {
  const judged = [...relevant, ...irrelevant].map(({ scores, names, gold }) => {
    const chances = probabilities(scores, none, temperature);
    const best = argmax(Float64Array.from(chances));
    const right = gold[0] === "NONE" ? best === names.length : gold.includes(names[best] ?? "");
    return {
      probability: chances[best]!,
      right,
      abstained: best === names.length,
      irrelevant: gold[0] === "NONE",
    };
  });
  console.log(
    label,
    "ECE",
    calibrationError(judged),
    "abstains when irrelevant",
    share(judged.filter((j) => j.irrelevant).map((j) => j.abstained)),
    "abstains when relevant",
    share(judged.filter((j) => !j.irrelevant).map((j) => j.abstained)),
  );
}

// Actions without tools: the source's own first action, mapped onto the 903 by name.
const actionOf = async (name: string) => {
  const reading = model.lexicon.readName(name);
  const [encoded] = await model.encoder.encode([
    { text: reading.words.join(" "), keep: "start", remember: true },
  ]);
  return model.table.idOfTool(encoded!.vector, reading);
};
for (const [name, stride] of [
  ["train/sgd_dev", 6],
  ["dev/clinc150_test", 20],
  ["train/snips_train", 40],
  ["train/home_assistant_intents_en", 3],
  ["dev/multidogo_test", 8],
] as const) {
  const rows = readRows(dataDir, name, stride).filter(
    ({ actions }) => actions[0] !== undefined && actions[0] !== "oos",
  );
  const gold = await Promise.all(rows.map(({ actions }) => actionOf(actions[0]!)));
  const situations = await readSituations(
    model,
    rows.map((row) => requestOf({ ...row, tools: [], state: "" })),
  );
  const curve = [0.03, 0.04, 0.05, 0.06, 0.08, 0.1].map((temperature) => {
    const judged = situations.map((situation, at) => {
      const { scores } = actAt(situation, rootOf(situation, config), config);
      const chances = probabilities(scores.slice(0, -1), -9, temperature);
      const best = argmax(Float64Array.from(chances));
      const row = situation.set.candidates.findIndex(({ actionId }) => actionId === gold[at]);
      return {
        probability: chances[best]!,
        right: best === row,
        nats: -Math.log(chances[row] ?? 1e-9),
        known: gold[at] !== actionIds.unk,
      };
    });
    const known = judged.filter((j) => j.known);
    const nats = known.reduce((sum, j) => sum + j.nats, 0) / known.length;
    return {
      temperature,
      top1: share(known.map((j) => j.right)),
      nats: nats.toFixed(2),
      ece: calibrationError(known),
      known: share(judged.map((j) => j.known)),
    };
  });
  console.log(name, rows.length, JSON.stringify(curve));
}

// Goal reached: prefixes of real sequences, with each action as history.
const prefixes: { x: number[]; y: number }[] = [];
for (const [name, stride] of [
  ["train/sealtools_dev", 2],
  ["train/sgd_dev", 12],
] as const) {
  for (const row of readRows(dataDir, name, stride).filter(({ actions }) => actions.length > 0)) {
    const names = [...new Set(row.actions)].slice(0, 5);
    for (let length = 0; length <= names.length; length++) {
      const history = names.slice(0, length).map((action) => ({ action, observation: "" }));
      const [situation] = await readSituations(model, [requestOf(row, history)]);
      const node = rootOf(situation!, config);
      prefixes.push({
        x: [1, coveredShare(node), Math.min(...node.covered), proximityAt(situation!, node)],
        y: Number(length === names.length),
      });
    }
  }
}
const weights = [0, 0, 0, 0];
const chance = (x: readonly number[]) =>
  1 / (1 + Math.exp(-x.reduce((sum, value, at) => sum + value * weights[at]!, 0)));
for (let round = 0; round < 3000; round++) {
  const gradient = weights.map(
    (_, at) => prefixes.reduce((sum, { x, y }) => sum + (chance(x) - y) * x[at]!, 0) / prefixes.length,
  );
  for (const [at, slope] of gradient.entries()) weights[at]! -= 0.5 * slope;
}
const judged = prefixes.map(({ x, y }) => ({ probability: chance(x), right: y === 1 }));
const positives = judged.filter((j) => j.right);
const negatives = judged.filter((j) => !j.right);
const wins = positives.reduce(
  (sum, p) => sum + negatives.filter((n) => n.probability < p.probability).length,
  0,
);
console.log(
  "goal reached: bias, covered, least covered, proximity",
  weights.map((w) => w.toFixed(2)).join(" "),
  "AUROC",
  (wins / (positives.length * negatives.length)).toFixed(3),
  "ECE",
  calibrationError(judged),
  "n",
  judged.length,
);
await model.close();
