import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadPlanner, type Planner } from "../../../gpu-worker/planning/planner.ts";
import { PlanRequest, PlanResponse } from "../../../shared/planning.ts";

const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));

const request = (goal: string, rest: Partial<PlanRequest> = {}): PlanRequest =>
  PlanRequest.parse({ size: "base", goal, state: "", ...rest });

const tools = [
  { name: "get_weather", description: "Get the current weather for a city", parameters: ["city"] },
  {
    name: "search_flights",
    description: "Search for available flights between two cities",
    parameters: ["from", "to"],
  },
  { name: "book_flight", description: "Book a flight by its id", parameters: ["flight_id"] },
  { name: "send_email", description: "Send an email to a recipient", parameters: ["to", "body"] },
  {
    name: "create_calendar_event",
    description: "Create an event in the calendar",
    parameters: ["title", "date"],
  },
];

let planner: Planner;
beforeAll(async () => {
  planner = await loadPlanner({ checkpointDir, device: "cpu" });
});
afterAll(() => planner.close());

const planOf = async (wanted: PlanRequest): Promise<PlanResponse> => (await planner.plan([wanted]))[0]!;
const namesOf = ({ steps }: PlanResponse) => steps.map(({ actionName }) => actionName);
const withoutTimings = (response: PlanResponse) => ({ ...response, timings: undefined });

describe("plans without tools", () => {
  it.each([
    ["What's the weather in Paris tomorrow?", ["get_weather", "check_weather", "get_forecast"]],
    ["Book a flight from Berlin to Rome", ["book_flight", "search_flight"]],
    ["Order a pepperoni pizza", ["order_food"]],
    ["Send an email to Anna about the meeting", ["send_email", "write_email"]],
    ["Translate this sentence into French", ["translate_text", "translate"]],
    ["Summarize this article", ["summarize_article", "read_article"]],
    ["Cancel my subscription", ["cancel_subscription"]],
    ["Play some jazz", ["play_music", "play_song"]],
    ["Set an alarm for 7am", ["set_alarm"]],
    ["Transfer 100 dollars to my savings account", ["transfer_money", "transfer"]],
    ["Turn off the lights in the living room", ["turn_off_light"]],
    ["Delete the old backup files", ["delete_file"]],
    ["Schedule a meeting with Bob next Tuesday at 3pm", ["schedule_meeting"]],
    ["I lost my credit card", ["report_card", "lock_card", "block_card"]],
    ["Write a poem about autumn", ["write", "write_document", "generate_text"]],
    ["Track my package", ["track_shipment", "track"]],
    ["Compare iPhone and Pixel prices", ["compare_price", "compare_product"]],
    ["Convert 100 euros to dollars", ["convert", "convert_currency"]],
    ["Click the submit button", ["click_button", "click"]],
    ["Find the cheapest laptop", ["search_product", "compare_price", "search"]],
    ["Fix the failing unit test in the repository", ["run_test", "debug", "test_code"]],
  ])("begin sensibly for %j", async (goal, acceptable) => {
    const plan = await planOf(request(goal));
    expect(acceptable).toContain(namesOf(plan)[0]);
    expect(plan.steps.length).toBeLessThanOrEqual(5);
  });

  it.each([
    ["Find a cheap hotel in Lisbon and book it for two nights", ["search_hotel", "book_hotel"]],
    ["Log in to my account, update my shipping address and log out", ["login", "update_address", "logout"]],
    ["Download the quarterly report and email it to my boss", ["download_report", "send_email"]],
  ])("follow the order of %j", async (goal, names) => {
    expect(namesOf(await planOf(request(goal)))).toEqual(names);
  });

  it("never plan padding, the unknown action or nothing, and obey maxSteps", async () => {
    const goal =
      "Find a flight, book it, reserve a hotel, rent a car, email the plan to Anna and add it to my calendar";
    const plan = await planOf(request(goal, { maxSteps: 2 }));
    expect(plan.steps).toHaveLength(2);
    for (const { actionId } of plan.steps) expect([0, 1, 2, 9]).not.toContain(actionId);
  });

  it("signal an action that acts on the task, never a system one", async () => {
    const plan = await planOf(request("hi"));
    expect(plan.steps[0]!.category).toBe("system");
    expect(plan.brainSignal.actionType).not.toBe(plan.steps[0]!.actionName);
  });
});

describe("plans with tools", () => {
  it.each([
    ["What's the weather in Paris?", "get_weather"],
    ["Find me a flight to Rome", "search_flights"],
    ["Email Bob that I am late", "send_email"],
    ["Put a dentist event into my calendar", "create_calendar_event"],
    ["Who painted the Mona Lisa?", "none"],
  ])("recommend for %j the tool %s", async (goal, tool) => {
    const { brainSignal } = await planOf(request(goal, { tools }));
    expect(brainSignal.actionType).toBe(tool);
    expect(brainSignal.confidence).toBeGreaterThan(0.3);
  });

  it("show each tool as the action it amounts to and look ahead by tool name", async () => {
    const plan = await planOf(request("Find a flight to Rome and book it", { tools }));
    expect(namesOf(plan)).toEqual(["search_flight", "book_flight"]);
    expect(plan.brainSignal).toMatchObject({
      actionType: "search_flights",
      planAhead: ["book_flight"],
      simulationConfirmed: true,
    });
  });
});

describe("history", () => {
  const goal = "Find a flight to Rome and book it";
  const searched = { action: "search_flights", observation: "Found 3 flights: AZ123, LH456, FR789" };
  const booked = { action: "book_flight", observation: "Booking confirmed: AZ123" };
  const failed = { action: "search_flights", observation: "Error 503: service unavailable, try again later" };

  it("is not proposed again", async () => {
    const plan = await planOf(request(goal, { tools, history: [searched] }));
    expect(plan.brainSignal.actionType).toBe("book_flight");
  });

  it("that did everything ends the plan", async () => {
    const plan = await planOf(request(goal, { tools, history: [searched, booked] }));
    expect(namesOf(plan)).toEqual(["end"]);
    expect(plan.brainSignal.actionType).toBe("none");
  });

  it("raises the chance that the goal is reached as it goes on", async () => {
    const chances = [];
    for (const history of [[], [searched], [searched, booked]]) {
      chances.push((await planOf(request(goal, { tools, history }))).goalReached);
    }
    expect(chances[0]).toBeLessThan(0.1);
    expect(chances[1]).toBeGreaterThan(chances[0]!);
    expect(chances[2]).toBeGreaterThan(0.6);
  });

  it("of a failed step lets the step be tried again", async () => {
    const plan = await planOf(request(goal, { tools, history: [failed] }));
    expect(plan.brainSignal.actionType).toBe("search_flights");
  });

  it("counts without tools too, under the actions' names and foreign ones", async () => {
    for (const action of ["search_hotel", "findHotels"]) {
      const plan = await planOf(
        request("Find a cheap hotel in Lisbon and book it", {
          history: [{ action, observation: "3 hotels" }],
        }),
      );
      expect(namesOf(plan)).toEqual(["book_hotel"]);
    }
  });
});

describe("numbers of a plan", () => {
  const mixed = [
    request("Book a flight from Berlin to Rome"),
    request("What's the weather in Paris?", { tools }),
    request("", { state: "The user opened the shop." }),
    request("Find a cheap hotel in Lisbon and book it", {
      history: [{ action: "search_hotel", observation: "3 hotels" }],
    }),
    request("x ".repeat(900), { state: "long ".repeat(900) }),
    request("🎉", { maxSteps: 10 }),
  ];

  it("keep the contract and their ranges", async () => {
    for (const response of await planner.plan(mixed)) {
      const plan = PlanResponse.parse(response);
      expect(plan.steps.length).toBeGreaterThan(0);
      expect(plan.timings.queueMs).toBe(0);
      for (const { probability, stateChange } of plan.steps) {
        expect(probability).toBeGreaterThan(0);
        expect(probability).toBeLessThanOrEqual(1);
        expect(stateChange).toBeGreaterThanOrEqual(0);
        expect(stateChange).toBeLessThan(25);
      }
      expect(plan.overallConfidence).toBe(plan.steps[0]!.probability);
      expect(Math.abs(plan.brainSignal.goalProximity)).toBeLessThanOrEqual(1.000001);
      expect(plan.goalReached).toBeGreaterThanOrEqual(0);
      expect(plan.goalReached).toBeLessThanOrEqual(1);
    }
  });

  it("are the same bits alone, together, in any order and again", async () => {
    const together = (await planner.plan(mixed)).map(withoutTimings);
    const reversed = (await planner.plan([...mixed].reverse())).map(withoutTimings).reverse();
    expect(reversed).toEqual(together);
    for (const [i, wanted] of mixed.entries())
      expect(withoutTimings(await planOf(wanted))).toEqual(together[i]);
  });

  it("put a booking above a search and a search above 'minor'", async () => {
    const [book] = (await planOf(request("Book a flight from Berlin to Rome"))).steps;
    const [search] = (await planOf(request("Find a cheap hotel in Lisbon and book it"))).steps;
    expect(book!.stateChange).toBeGreaterThan(10);
    expect(search!.stateChange).toBeGreaterThan(5);
    expect(search!.stateChange).toBeLessThan(book!.stateChange);
  });

  it("bill the tokens the encoder reads, tools counted every time", async () => {
    const bare = await planOf(request("Find a flight", { state: "Berlin" }));
    expect(bare.tokens).toBe(5 + 3);
    const first = await planOf(request("Find a flight", { state: "Berlin", tools }));
    const second = await planOf(request("Find a flight", { state: "Berlin", tools }));
    expect(first.tokens).toBeGreaterThan(bare.tokens + 40);
    expect(second.tokens).toBe(first.tokens);
  });

  it("never bill a text beyond the window", async () => {
    const plan = await planOf(request("x ".repeat(900), { state: "long ".repeat(900) }));
    expect(plan.tokens).toBe(512);
  });

  it("ask the user when there is no goal", async () => {
    expect(namesOf(await planOf(request("   ")))[0]).toBe("ask_user");
  });

  it("take 128 tools of one name and 256 steps of history", async () => {
    const many = Array.from({ length: 128 }, () => tools[0]!);
    const history = Array.from({ length: 256 }, () => ({ action: "", observation: "" }));
    expect((await planOf(request("weather", { tools: many, history }))).steps.length).toBeGreaterThan(0);
  });
});

describe("the planner", () => {
  it("describes what it loaded", () => {
    const description = planner.describe();
    expect(description).toMatchObject({
      size: "base",
      dimension: 384,
      device: "cpu",
      numActions: 903,
      brainLoaded: false,
    });
    expect(description.randomBaselineNats).toBeCloseTo(6.8057, 3);
    expect(description.checkpoint).not.toContain("/");
  });

  it("plans nothing for no requests", async () => {
    expect(await planner.plan([])).toEqual([]);
  });
});
