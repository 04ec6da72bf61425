/** Whether the instructions of a conversation give the LLM one job for every message (shared/standing-job.ts). Pure. */
import { type ChatRequest, isInstruction } from "../../shared/chat.ts";
import { givesStandingJob } from "../../shared/standing-job.ts";
import { readText } from "./plan-text.ts";

export const hasStandingJob = ({ messages }: Pick<ChatRequest, "messages">): boolean =>
  givesStandingJob(
    messages
      .filter(isInstruction)
      .map(({ parts }) => readText(parts))
      .join("\n"),
  );
