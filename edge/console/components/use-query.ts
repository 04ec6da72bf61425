/** A hook that asks the API when a page is shown, and again on demand. An older answer never overwrites a newer one. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../api/call-api.ts";

export type Query<Value> = {
  result: Result<Value> | undefined;
  /** A newer answer takes long enough for the wait to be noticed. */
  isSlow: boolean;
  /** Asks again; resolves when the answer is there. */
  ask: () => Promise<void>;
  /** Asks again without saying so. */
  poll: () => Promise<void>;
};

const noticedMs = 400;

/** @param inputs asks again when one of these changes */
export function useQuery<Value>(
  query: () => Promise<Result<Value>>,
  inputs: readonly unknown[],
): Query<Value> {
  const [result, setResult] = useState<Result<Value> | undefined>();
  const [isSlow, setIsSlow] = useState(false);
  const turn = useRef(0);
  const poll = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    const answer = await query();
    if (mine !== turn.current) return;
    setResult(answer);
    setIsSlow(false);
  }, inputs);
  const ask = useCallback(async () => {
    const answered = poll();
    const mine = turn.current;
    const timer = setTimeout(() => mine === turn.current && setIsSlow(true), noticedMs);
    await answered;
    clearTimeout(timer);
  }, [poll]);
  useEffect(() => {
    void ask();
    return () => {
      turn.current += 1;
    };
  }, [ask]);
  return { result, isSlow, ask, poll };
}
