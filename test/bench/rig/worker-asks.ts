/** What the gpu-worker is asked by itself: plans with ten tools, rollouts, embeddings; signed as the edge signs. */
import { createSigner, workerAudience } from "../../../shared/signature.ts";
import { workerTasks } from "../../../shared/worker-tasks.ts";
import type { MeasuredWorker } from "./rig.ts";

export type Ask = { path: string; body(number: number): object };
export type SignedRequest = { url: string; headers: Record<string, string>; body: string };

const goal =
  "Find a cheap flight to Lisbon in May, reserve a quiet hotel near the river and tell Anna about it";
/** Six wishes in one breath: a plan of it has steps to take. */
const longGoal =
  "Search flights to Lisbon, book the cheapest flight, search hotels near the river, book a quiet hotel, check the weather in May and email Anna about the trip";
const tools = [
  ["search_flights", "Search flights between two airports on a date"],
  ["search_hotels", "Search hotels in a city"],
  ["get_weather", "Weather forecast of a place"],
  ["convert_currency", "Convert an amount between currencies"],
  ["send_email", "Send an e-mail"],
  ["create_event", "Put an event into the calendar"],
  ["web_search", "Search the web"],
  ["read_page", "Read a web page"],
  ["book_flight", "Book a flight that was found"],
  ["book_hotel", "Book a hotel room that was found"],
].map(([name, description]) => ({ name, description }));
const state = "You help people plan trips. The traveller has not booked anything yet.";

const planOf =
  (text: string) =>
  (maxSteps: number): Ask => ({
    path: workerTasks.plan.path,
    // Every goal is new: only the tools are remembered, as a caller's are.
    body: (number) => ({
      size: "base",
      goal: `${text}, offer ${number}`,
      state,
      history: [],
      tools,
      maxSteps,
    }),
  });
export const plan = planOf(goal);
export const longPlan = planOf(longGoal);

export const rollout: Ask = {
  path: workerTasks.rollout.path,
  body: (number) => ({ size: "base", goal: `${goal}, offer ${number}`, initialState: state, maxSteps: 5 }),
};
export const givenRollout: Ask = {
  path: workerTasks.rollout.path,
  body: (number) => ({
    ...rollout.body(number),
    // search, compare, select, book, send.
    actions: [10, 20, 30, 57, 56],
  }),
};
export const embed: Ask = {
  path: workerTasks.embed.path,
  body: (number) => ({ size: "base", texts: [`${goal}, offer ${number}`, state] }),
};

/** Counted over all askers: a goal whose vector another request left in the cache would cost half. */
let asked = 0;

/** Signed requests to one worker, each with a number that none before it had. */
export async function createAsker(worker: MeasuredWorker): Promise<(ask: Ask) => Promise<SignedRequest>> {
  const signer = await createSigner({ privateJwk: worker.signingKey });
  return async ({ path, body }) => {
    asked += 1;
    const text = JSON.stringify(body(asked));
    const token = await signer.sign({
      audience: workerAudience,
      method: "POST",
      path,
      body: text,
      now: Date.now(),
      nonce: crypto.randomUUID(),
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return { url: worker.url + path, headers, body: text };
  };
}
