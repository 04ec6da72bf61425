/** The worker's log: one JSON object per line. Events and tags only; no field could hold a prompt, an answer, a token or a key. */

type LogFields = {
  requestId?: string | undefined;
  traceId?: string | undefined;
  route?: string;
  status?: number;
  reason?: string | undefined;
  durationMs?: number;
  size?: string;
  device?: string;
  message?: string;
};
export type Log = (level: "info" | "warn" | "error", event: string, fields?: LogFields) => void;

/** A log that writes lines to `write` (stderr in a real worker), stamped by `now` (milliseconds). */
export function createLog(write: (line: string) => void, now: () => number): Log {
  return (level, event, fields = {}) => {
    write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...fields })}\n`);
  };
}
