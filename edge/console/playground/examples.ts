/** Example situations, chosen to show where a plan helps, and where there is rightly none. */
import type { Tool } from "./draft.ts";

export type Example = { name: string; state: string; goal: string; tools: Tool[] };

const tool = (name: string, description: string, ...names: string[]): Tool => ({
  type: "function",
  function: {
    name,
    description,
    parameters: {
      type: "object",
      properties: Object.fromEntries(names.map((property) => [property, { type: "string" }])),
    },
  },
});

const travel = [
  tool("search_flights", "Search flights by destination and month", "destination", "month"),
  tool("book_flight", "Book a flight by its id", "flight_id"),
  tool("get_weather", "Weather forecast of a city", "city"),
  tool("send_email", "Send an e-mail", "to", "subject", "body"),
];

export const examples: readonly Example[] = [
  {
    name: "Book a flight",
    state: "The user is on the airline's home page and is not signed in.",
    goal: "Find the cheapest flight to Lisbon in May and book it",
    tools: travel,
  },
  {
    name: "Fix a failing test",
    state: "A repository with a failing test in billing/price.test.ts.",
    goal: "Find out why the test fails and fix the bug",
    tools: [
      tool("read_file", "Read a file", "path"),
      tool("search_code", "Search the repository for a text", "query"),
      tool("edit_file", "Replace text in a file", "path", "old", "new"),
      tool("run_tests", "Run the test suite", "path"),
    ],
  },
  {
    name: "No tool needed",
    state: "",
    goal: "Who wrote Hamlet?",
    tools: travel,
  },
  {
    name: "Tidy the kitchen",
    state: "You are in the kitchen. There is a fridge, a sink and a countertop with a dirty mug.",
    goal: "Put a clean mug in the coffee machine",
    tools: [],
  },
];

/** Tools as the tools field shows them: indented JSON, one block for each. */
export const writeTools = (tools: readonly Tool[]): string =>
  tools.length === 0
    ? ""
    : JSON.stringify(
        tools.map(({ function: body }) => body),
        null,
        2,
      );
