/** A shared stream whose groups the test answers. */
import { vi } from "vitest";
import type { Refused, Sent } from "../../../edge/db/connection.ts";
import { type SendGroup, SharedStream } from "../../../edge/db/shared-stream.ts";

export const noAbort = new AbortController().signal;
export const resultOf = (statement: string) => ({ columns: [statement], rows: [] });

type Group = {
  baton: string | null;
  statements: readonly string[];
  isRefused: boolean;
  answer(): void;
  refuse(error?: Error): void;
  lose(): void;
};

/** A shared stream whose groups wait to be answered; the clock is the timers'. */
export function open() {
  const stream = new SharedStream(Date.now);
  const groups: Group[] = [];
  const sendGroup: SendGroup = (baton, statements) => {
    const { promise, resolve, reject } = Promise.withResolvers<Sent | Refused>();
    const group: Group = {
      baton,
      statements,
      isRefused: false,
      answer: () => resolve({ baton: `b${groups.length}`, outcomes: statements.map(resultOf) }),
      refuse: (error = new Error("refused")) => {
        group.isRefused = true;
        resolve({ refused: error });
      },
      lose: () => reject(new Error("lost")),
    };
    groups.push(group);
    return promise;
  };
  const send = (statement: string, signal = noAbort) => {
    return stream.send(statement, sendGroup, signal).catch((error: Error) => error.message);
  };
  return { stream, groups, send };
}

export const settled = () => vi.advanceTimersByTimeAsync(0);
