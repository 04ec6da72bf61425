// The page's token is renewed in time even if the browser's clock is wrong.
import { afterEach, expect, test, vi } from "vitest";
import { forgetToken, takeToken } from "../../edge/console/api/page-token.ts";

afterEach(() => {
  forgetToken();
  vi.useRealTimers();
});

test.each([-3_600_000, 0, 3_600_000])(
  "a clock that is %d ms off still renews it before ten minutes",
  async (offMs) => {
    vi.useFakeTimers({ now: 1_800_000_000_000 + offMs, toFake: ["Date"] });
    let made = 0;
    const make = async () => {
      made += 1;
      const value = { token: `token ${made}`, expires_at: new Date(1_800_000_600_000).toISOString() };
      return { ok: true, value } as const;
    };
    const take = async () => {
      const taken = await takeToken(make);
      return taken.ok && taken.value.token;
    };
    expect(await Promise.all([take(), take()])).toEqual(["token 1", "token 1"]);
    vi.setSystemTime(Date.now() + 9 * 60_000);
    expect(await take()).toBe("token 1");
    vi.setSystemTime(Date.now() + 45_000);
    expect(await take()).toBe("token 2");
    // The clock is set right while the token is in use.
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await take()).toBe("token 3");
    expect(await take()).toBe("token 3");
  },
);
