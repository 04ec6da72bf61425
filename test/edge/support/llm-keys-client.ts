/** A caller who stores provider keys. */
import { createTestApp, newCaller, type TestAppOptions } from "./app.ts";

export const path = "/v1/account/llm-keys";

export const listed = () => Response.json({ data: [] });

export async function newClient(options: TestAppOptions = {}, credit = 0) {
  const caller = await newCaller(credit);
  const app = createTestApp({ provider: [listed], ...options });
  const ask = async (
    method: string,
    { body, query = "", key = caller.apiKey }: { body?: unknown; query?: string; key?: string } = {},
  ) => {
    const response = await app.send(path + query, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return {
      status: response.status,
      body: await response.json<Record<string, unknown>>(),
      headers: response.headers,
    };
  };
  return { ...app, caller, ask, status: async () => (await ask("GET")).body };
}
