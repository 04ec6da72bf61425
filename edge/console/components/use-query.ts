/** A hook that asks the API when a page is shown, and again on demand. An older answer never overwrites a newer one. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Result } from "../api/call-api.ts";

export type Query<Value> = {
  result: Result<Value> | undefined;
  /** Asks again; resolves when the answer is there. */
  ask: () => Promise<void>;
};

/** @param inputs asks again when one of these changes */
export function useQuery<Value>(
  query: () => Promise<Result<Value>>,
  inputs: readonly unknown[],
): Query<Value> {
  const [result, setResult] = useState<Result<Value> | undefined>();
  const turn = useRef(0);
  const ask = useCallback(async () => {
    turn.current += 1;
    const mine = turn.current;
    const answer = await query();
    if (mine === turn.current) setResult(answer);
  }, inputs);
  useEffect(() => {
    void ask();
    return () => {
      turn.current += 1;
    };
  }, [ask]);
  return { result, ask };
}
