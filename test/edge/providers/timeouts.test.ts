import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Expiry, providerTimeouts, Watchdog } from "../../../edge/providers/timeouts.ts";

function watch() {
  const expired: Expiry[] = [];
  return { expired, dog: new Watchdog(providerTimeouts.call, Date.now, (expiry) => expired.push(expiry)) };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the limits of a provider call", () => {
  test("the first byte may take a minute and no longer", () => {
    const { expired } = watch();
    vi.advanceTimersByTime(59_999);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(expired).toEqual(["first-byte"]);
  });

  test("the first-byte limit does not fire once the answer has begun (failures 29)", () => {
    const { expired, dog } = watch();
    vi.advanceTimersByTime(59_000);
    dog.started();
    vi.advanceTimersByTime(119_000);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual(["idle"]);
  });

  test("every piece of the answer renews the silence limit", () => {
    const { expired, dog } = watch();
    dog.started();
    for (let minute = 0; minute < 5; minute++) {
      vi.advanceTimersByTime(100_000);
      dog.touched();
    }
    expect(expired).toEqual([]);
  });

  test("a reader's pause is no silence of the provider's, which counts from its end on", () => {
    const { expired, dog } = watch();
    dog.started();
    dog.reached("finished");
    dog.paused();
    vi.advanceTimersByTime(300_000);
    dog.resumed();
    vi.advanceTimersByTime(19_000);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(expired).toEqual(["idle"]);
  });

  test("an end of the answer leaves a shorter limit of silence as it is", () => {
    const expired: Expiry[] = [];
    const limits = { ...providerTimeouts.call, idleMs: 5_000 };
    const dog = new Watchdog(limits, Date.now, (expiry) => expired.push(expiry));
    dog.started();
    dog.reached("finished");
    vi.advanceTimersByTime(5_000);
    expect(expired).toEqual(["idle"]);
  });

  test("an answer that nobody reads is cut at the total limit all the same", () => {
    const { expired, dog } = watch();
    dog.started();
    dog.paused();
    vi.advanceTimersByTime(600_000);
    expect(expired).toEqual(["total"]);
  });

  test("an answer that never ends is cut at the total limit, however lively", () => {
    const { expired, dog } = watch();
    dog.started();
    for (let second = 0; second < 601; second++) {
      vi.advanceTimersByTime(1_000);
      dog.touched();
    }
    expect(expired).toEqual(["total"]);
  });

  test("what follows a finish reason, or the end mark, is not waited for long (failures 35)", () => {
    const { expired, dog } = watch();
    dog.started();
    dog.reached("finished");
    vi.advanceTimersByTime(19_000);
    dog.touched();
    vi.advanceTimersByTime(19_000);
    expect(expired).toEqual([]);
    dog.reached("ended");
    vi.advanceTimersByTime(300);
    expect(expired).toEqual(["idle"]);
  });

  test("where more begins after a finish reason, silence has its whole limit again", () => {
    const { expired, dog } = watch();
    dog.started();
    dog.reached("finished");
    dog.reached("open");
    vi.advanceTimersByTime(119_000);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(expired).toEqual(["idle"]);
  });

  test("after stop nothing fires", () => {
    const { expired, dog } = watch();
    dog.stop();
    vi.advanceTimersByTime(1_000_000);
    expect(expired).toEqual([]);
  });
});
