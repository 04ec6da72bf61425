/** The base checkpoint's planner for a file of tests, with requests for it. */
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { loadPlanner, type Planner } from "../../../gpu-worker/planning/planner.ts";
import { PlanRequest, type PlanResponse } from "../../../shared/planning.ts";

export const checkpointDir = fileURLToPath(new URL("../../../gpu-worker/checkpoints/base", import.meta.url));

/** To be awaited at the top of a file: closed after its last test. */
export async function loadBasePlanner(): Promise<Planner> {
  const planner = await loadPlanner({ checkpointDir, device: "cpu" });
  afterAll(() => planner.close());
  return planner;
}

export const planRequest = (goal: string, rest: Partial<PlanRequest> = {}): PlanRequest =>
  PlanRequest.parse({ size: "base", goal, state: "", ...rest });

export const travelTools = [
  { name: "get_weather", description: "Get the current weather for a city" },
  { name: "search_flights", description: "Search for available flights between two cities" },
  { name: "book_flight", description: "Book a flight by its id" },
  { name: "send_email", description: "Send an email to a recipient" },
  { name: "create_calendar_event", description: "Create an event in the calendar" },
];

export const namesOf = ({ steps }: PlanResponse): string[] => steps.map(({ actionName }) => actionName);
