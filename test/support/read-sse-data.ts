/** The data of each server-sent event of a whole stream, by the parser that the field uses. Pure. */
import { createParser } from "eventsource-parser";

export function readSseData(stream: string): string[] {
  const data: string[] = [];
  const parser = createParser({ onEvent: (event) => data.push(event.data) });
  parser.feed(stream);
  return data;
}
