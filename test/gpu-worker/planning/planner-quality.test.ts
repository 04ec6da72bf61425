import { describe, expect, it, vi } from "vitest";
import type { PlanRequest, PlanResponse } from "../../../shared/planning.ts";
import {
  loadBasePlanner,
  namesOf,
  planRequest as request,
  travelTools as tools,
} from "../support/base-planner.ts";

vi.setConfig({ testTimeout: 60_000 });

// How good the checkpoint is, in cases a reader can judge. That answers keep the contract: planner.test.ts.
const planner = await loadBasePlanner();

const planOf = async (wanted: PlanRequest): Promise<PlanResponse> => (await planner.plan([wanted]))[0]!;

/** System prompts and earlier talk; training makes up such texts (training/data/beginnings.py): the first, and the greeting. */
const beginnings = [
  "You are a helpful assistant.",
  "You are an AI model in a chat UI. Current date: 2026-11-20. Always cite your sources.",
  "Answer as a pirate would.",
  "You are a helpful assistant.\nuser: Hi\nassistant: Hello! How can I help you today?",
  "user: Can you explain recursion to me?\nassistant: Recursion is when a function calls itself until a base case is reached.\nuser: Thanks, that helps!\nassistant: You're welcome! Anything else?",
  "You are a helpful assistant.\nuser: Write a haiku about autumn\nassistant: Crisp leaves drift and fall,\nquiet paths of red and gold,\nthe year breathes out slow.",
  "You are a helpful assistant.\nuser: I am thinking of going on holiday in May.\nassistant: That sounds lovely! Do you have a destination in mind?",
];

describe.each(beginnings)("where a chat says %j", (state) => {
  it.each([
    "Cancel my subscription",
    "Set an alarm for 7 am",
    "Translate this paragraph into French",
    "What is the weather in Tokyo tomorrow?",
    "Calculate the average of these numbers",
    "Play some jazz music",
  ])("a plan begins as it does where nothing is said: %s", async (goal) => {
    const [bare, instructed] = await Promise.all([planOf(request(goal)), planOf(request(goal, { state }))]);
    // Of `translate` and `translate_text` either does: they are near a tie.
    const verbs = [instructed, bare].map(({ steps, brainSignal }) => {
      return [steps[0]!.actionName, brainSignal.actionType].map((name) => name.split("_")[0]);
    });
    expect(verbs[0]).toEqual(verbs[1]);
  });
});

describe("plans without tools", () => {
  const sensible: readonly (readonly [goal: string, first: readonly string[]])[] = [
    ["What's the weather in Paris tomorrow?", ["get_weather", "check_weather", "get_forecast"]],
    ["Book a flight from Berlin to Rome", ["book_flight", "search_flight"]],
    ["Order a pepperoni pizza", ["order_food", "order", "add_item", "add_to_cart"]],
    ["Send an email to Anna about the meeting", ["send_email", "write_email"]],
    ["Translate this sentence into French", ["translate_text", "translate"]],
    ["Summarize this article", ["summarize_article", "summarize_text", "read_article", "summarize"]],
    ["Cancel my subscription", ["cancel_subscription", "cancel"]],
    ["Play some jazz", ["play_music", "play_song"]],
    ["Set an alarm for 7am", ["set_alarm"]],
    ["Transfer 100 dollars to my savings account", ["transfer_money", "transfer"]],
    ["Turn off the lights in the living room", ["turn_off_light", "turn_off"]],
    ["Delete the old backup files", ["delete_file", "delete", "delete_item"]],
    ["Schedule a meeting with Bob next Tuesday at 3pm", ["schedule_meeting"]],
    ["I lost my credit card", ["report_card", "lock_card", "block_card", "report_fraud"]],
    ["Write a poem about autumn", ["write", "write_document", "generate_text"]],
    ["Track my package", ["track_shipment", "track", "track_order"]],
    ["Compare iPhone and Pixel prices", ["compare_price", "compare_product"]],
    ["Convert 100 euros to dollars", ["convert", "convert_currency", "get_exchange_rate"]],
    ["Click the submit button", ["click_button", "click", "submit"]],
    ["Find the cheapest laptop", ["search_product", "compare_price", "search"]],
    ["Make a reservation for two at an Italian restaurant", ["book_restaurant", "reserve", "book_table"]],
    ["What's my bank balance?", ["get_balance", "check_balance"]],
  ];

  it("begin sensibly, most of the time", async () => {
    const plans = await planner.plan(sensible.map(([goal]) => request(goal)));
    const odd = plans.flatMap((plan, at) => {
      const [goal, first] = sensible[at]!;
      const name = namesOf(plan)[0]!;
      return first.includes(name) ? [] : [`${goal} -> ${name}`];
    });
    expect(odd.length, odd.join("\n")).toBeLessThanOrEqual(sensible.length / 3);
  });

  it("are no robot's walks where a person asks for something in a household's words", async () => {
    const goals = [
      "Book a table for two",
      "Set the table for dinner",
      "Buy a mug and a plate",
      "Turn off the lamp in the bedroom",
      "Turn on the lamp",
      "Turn on the lamp and set an alarm",
      "Turn on the TV",
      "Put the photos on the TV",
      "Sell two spoons on the market",
    ];
    const walks = new Set(["navigate_location", "pick_up", "put_down", "move_object"]);
    const plans = await planner.plan([
      ...goals.map((goal) => request(goal)),
      request("Turn on the light", { state: "I am in the kitchen." }),
      request("Put the plate in the cart", { state: "The page shows a plate and a bowl." }),
    ]);
    expect(plans.flatMap(namesOf).filter((name) => walks.has(name))).toEqual([]);
  });

  it.each([
    ["Put a clean mug in the coffee machine", ""],
    [
      "Put a bowl with keys in it on the desk",
      "You are in front of a desk. There is a bowl and a keychain on it.",
    ],
  ])("are a robot's walk for its errand: %s", async (goal, state) => {
    expect(namesOf(await planOf(request(goal, { state })))).toEqual(
      expect.arrayContaining(["navigate_location", "pick_up"]),
    );
  });

  it.each([
    ["let the team know that the meeting is cancelled", ["send_message"]],
    ["Let Priya know that I've booked the table for seven", ["send_message"]],
    ["Warn the neighbours that the water will be turned off at noon", ["send_notification"]],
    [
      "Cancel the gym membership, then tell my wife it is cancelled",
      ["cancel_subscription", "send_notification"],
    ],
  ])("send what somebody is to be told, and do not do it: %s", async (goal, names) => {
    expect(namesOf(await planOf(request(goal)))).toEqual(names);
  });

  it.each([
    ["The package was returned to the sender, I want to know why", /return/],
    ["my boss sent me an email saying the meeting is cancelled, is she angry with me?", /cancel/],
    // The library has episodes of such goals, in which a meeting is cancelled.
    ["Tell the team the meeting is cancelled, then book a table for four on Friday", /cancel/],
  ])("do not do again what is only reported: %s", async (goal, done) => {
    expect(namesOf(await planOf(request(goal))).filter((name) => done.test(name))).toEqual([]);
  });

  it("begin with what the first part asks for", async () => {
    const goal = "open the council website, find the form for a parking permit, fill it in and submit it";
    expect(namesOf(await planOf(request(goal))).slice(0, 2)).toEqual(["open_website", "search"]);
  });

  it("ask the user when there is no goal", async () => {
    expect(namesOf(await planOf(request("   ")))[0]).toBe("ask_user");
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

  it("list the tool that the order of the message makes the first", async () => {
    const goal = "Find Ada, check her order, and refund it";
    const desk = [
      ["find_customer", "Find a customer by name"],
      ["get_order", "Get an order with its items and status"],
      ["refund_order", "Refund an order"],
      ["send_email", "Send an e-mail to a customer"],
      ["search_articles", "Search the help articles"],
      ["open_ticket", "Open a support ticket"],
    ].map(([name, description]) => ({ name: name!, description: description! }));
    const { brainSignal } = await planOf(request(goal, { tools: desk }));
    expect(brainSignal.actionType).toBe("find_customer");
    expect(brainSignal.likelyTools?.[0]).toBe("find_customer");
  });

  it("find the tool that one sentence of many asks for", async () => {
    const about = "My name is Tom and I bake bread in Leeds. My sister lives in Rome and loves flowers.";
    const asks = "What will the weather be like there? I have a red car.";
    const { brainSignal } = await planOf(request(`${about} ${asks}`, { tools }));
    expect(brainSignal.actionType).toBe("get_weather");
  });

  it("name the tools in their order, and look ahead", async () => {
    const plan = await planOf(request("Find a flight to Rome and book it", { tools }));
    expect(namesOf(plan)).toEqual(["search_flights", "book_flight"]);
    expect(plan.brainSignal).toMatchObject({
      actionType: "search_flights",
      planAhead: ["book_flight"],
    });
  });
});

describe("what somebody is to be told", () => {
  const office = [
    ["pay_invoice", "Pay an open invoice"],
    ["list_invoices", "List open invoices"],
    ["send_message", "Send a message to a person"],
    ["create_event", "Create a calendar event"],
    ["get_weather", "Get the weather forecast for a city"],
  ].map(([name, description]) => ({ name: name!, description: description! }));

  it.each([
    ["Tell Bob the invoice is paid", ["send_message"]],
    ["Let Bob know the invoice is paid", ["send_message"]],
    ["Tell Bob to pay the Acme invoice", ["send_message"]],
    ["Pay the invoice from Acme and tell Bob", ["pay_invoice", "send_message"]],
    ["Pay the Acme invoice, then let Bob know it's paid", ["pay_invoice", "send_message"]],
    ["Create an event for Friday dinner and tell Sam", ["create_event", "send_message"]],
    ["Check the weather in Rome and tell Anna", ["get_weather", "send_message"]],
    ["Tell me the weather in Rome", ["get_weather"]],
  ])("is sent, not done again: %s", async (goal, calls) => {
    expect(namesOf(await planOf(request(goal, { tools: office })))).toEqual(calls);
  });
});

describe("plans of several instructions", () => {
  const goal =
    "Search flights to Lisbon, book the cheapest flight, search hotels near the river, book a quiet hotel, check the weather in May and email Anna about the trip, offer 7";
  const state = "You help people plan trips. The traveller has not booked anything yet.";
  const more = ["search_hotels: Search hotels in a city", "book_hotel: Book a hotel room"].map((text) => {
    const [name, description] = text.split(": ") as [string, string];
    return { name, description };
  });

  it.each([
    ["with tools", [...tools, ...more]],
    ["without tools", []],
  ])("are not given up after the first, however many steps are allowed, %s", async (_name, some) => {
    const allowed = [6, 8, 10];
    const plans = await planner.plan(
      allowed.map((maxSteps) => request(goal, { state, tools: some, maxSteps })),
    );
    for (const { steps } of plans) expect(steps.length).toBeGreaterThanOrEqual(3);
  });
});

describe("what the goal forbids", () => {
  const tool = (name: string, description: string) => ({ name, description });
  const repository = [
    tool("get-pull-request", "Get a pull request"),
    tool("merge-pull-request", "Merge a pull request"),
    tool("add-comment", "Add a comment to an issue or pull request"),
  ];
  const database = [
    tool("list_tables", "List tables of the database"),
    tool("run_query", "Run a read-only SQL query"),
    tool("drop_table", "Drop a table"),
  ];

  it.each([
    ["Just look up hotels in Vienna, do not book anything", /book/, []],
    ["Write a reply to Tom. Don't send it yet.", /send/, []],
    ["Clean up my downloads folder but don't delete anything", /delete/, []],
    ["Find a flight to Rome, no need to book a hotel", /hotel/, []],
    ["Instead of cancelling my booking, move it to Friday", /cancel/, []],
    ["check PR 42, do not merge it", /merge/, repository],
    ["hold off on merging PR 42, check it", /merge/, repository],
    ["Rather than dropping the table, list its rows", /drop/, database],
    ["which tables are empty? don't drop them", /drop/, database],
    ["Find a flight to Rome without stopping in Paris", /stop/, []],
    ["Add a comment to PR 42 without merging it", /merge/, repository],
  ])("is neither planned nor likely: %s", async (goal, forbidden, some) => {
    const { steps, brainSignal } = await planOf(request(goal, { tools: some }));
    const named = [...steps.map(({ actionName }) => actionName), ...(brainSignal.likelyTools ?? [])];
    expect(named.filter((name) => forbidden.test(name))).toEqual([]);
  });
});

describe("a goal in another language", () => {
  it.each([
    "Storniere bitte meine Hotelbuchung in Rom",
    "Envía un correo a Juan diciendo que llego tarde",
    "播放一些爵士乐",
    "Отправь письмо Анне",
  ])("is planned with low confidence: %s", async (goal) => {
    const { steps, overallConfidence } = await planOf(request(goal));
    expect(steps.map(({ confidence }) => confidence)).toEqual(steps.map(() => "Low"));
    expect(overallConfidence).toBeLessThan(0.2);
  });

  it.each([
    "Pourquoi le ciel est-il bleu ?",
    "Was ist die Hauptstadt von Frankreich?",
    "地球から月までの距離は？",
  ])("is not known to need no tool: %s", async (goal) => {
    const { overallConfidence, brainSignal } = await planOf(request(goal, { tools }));
    expect(brainSignal.abstention).toBe("no_tool");
    expect(overallConfidence).toBeLessThanOrEqual(0.6);
  });

  it("has no likely tools at first, and some when there are results to go by", async () => {
    const goal = "Schick Anna bitte eine Nachricht über das Wetter";
    const signalOf = async (turns: PlanRequest["turns"]) =>
      (await planOf(request(goal, { tools, turns: [{ kind: "user", text: goal }, ...turns] }))).brainSignal;
    expect(await signalOf([])).not.toHaveProperty("likelyTools");
    const seen = await signalOf([
      { kind: "call", text: "get_weather" },
      { kind: "result", text: "Berlin: rain, 7 degrees" },
    ]);
    expect(seen.likelyTools ?? [seen.abstention]).not.toEqual([]);
  });
});

describe("history", () => {
  const goal = "Find a flight to Rome and book it";
  const searched = { action: "search_flights", observation: "Found 3 flights: AZ123, LH456, FR789" };
  const booked = { action: "book_flight", observation: "Booking confirmed: AZ123" };
  const failed = { action: "search_flights", observation: "Error 503: service unavailable, try again later" };

  it("is not proposed again", async () => {
    const plan = await planOf(request(goal, { tools, history: [searched] }));
    expect(plan.brainSignal.actionType).not.toBe("search_flights");
  });

  it("that did everything ends the plan", async () => {
    const plan = await planOf(request(goal, { tools, history: [searched, booked] }));
    expect(namesOf(plan)).toEqual(["end"]);
    expect(plan.brainSignal).toMatchObject({ actionType: "none", abstention: "done" });
  });

  it("raises the chance that the goal is reached as it goes on", async () => {
    const chances = [];
    for (const history of [[], [searched], [searched, booked]]) {
      chances.push((await planOf(request(goal, { tools, history }))).goalReached);
    }
    expect(chances[0]).toBeLessThan(0.1);
    expect(chances[1]).toBeGreaterThan(chances[0]!);
    // Whether a last "book it" is done the model does not see; it must not take back what was.
    expect(chances[2]).toBeGreaterThan(chances[1]! - 0.01);
  });

  it("of a failed step is no sign that the work is done", async () => {
    const plan = await planOf(request(goal, { tools, history: [failed] }));
    expect(plan.brainSignal.abstention).not.toBe("done");
    expect(plan.goalReached).toBeLessThan(0.5);
  });

  it("counts without tools too, under the actions' names and foreign ones", async () => {
    const goal = "Play some jazz";
    const [before, ...after] = await planner.plan(
      [[], ["play_music"], ["playMusic"]].map((names) =>
        request(goal, { history: names.map((action) => ({ action, observation: "Now playing" })) }),
      ),
    );
    for (const plan of after) {
      expect(plan.goalReached).toBeGreaterThan(before!.goalReached);
      expect(namesOf(plan)[0]).not.toBe("play_music");
    }
  });
});
