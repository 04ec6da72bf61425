// What the form of an API key's limits sends to the API: only changed fields, and null for emptied ones.
import { expect, test } from "vitest";
import { readChanges, readKeyRequest, showKey } from "../../edge/console/account/key-text.ts";

const key = {
  id: "key_1",
  name: "laptop",
  prefix: "svc_sk_live_abcd",
  created_at: null,
  last_used_at: null,
  expires_at: "2027-01-31T10:20:30.000Z",
  monthly_budget: 0.000001,
  spent_this_month: 0,
  models: ["svc-x1ac-base-gpt-4o", "svc-x1ac-base-gpt-4o-mini"],
  revoked_at: null,
};
const shown = showKey(key);

test("a key's settings are shown as fields have them", () => {
  expect(shown).toEqual({
    name: "laptop",
    expires: "2027-01-31",
    budget: "0.000001",
    models: "svc-x1ac-base-gpt-4o svc-x1ac-base-gpt-4o-mini",
  });
  expect(showKey({ ...key, expires_at: null, monthly_budget: null, models: null })).toEqual({
    name: "laptop",
    expires: "",
    budget: "",
    models: "",
  });
});

test.each([
  ["nothing", {}, {}],
  ["a name", { name: " desk " }, { name: "desk" }],
  ["a budget", { budget: "5" }, { monthly_budget: 5 }],
  ["a budget of nothing, which is not none", { budget: "0" }, { monthly_budget: 0 }],
  ["a budget lifted", { budget: "" }, { monthly_budget: null }],
  ["an expiry lifted", { expires: "" }, { expires_at: null }],
  [
    "a later expiry, to the end of its day",
    { expires: "2027-02-28" },
    { expires_at: new Date("2027-02-28T23:59:59").toISOString() },
  ],
  ["models", { models: "a,\n b  c" }, { models: ["a", "b", "c"] }],
  ["models lifted", { models: " " }, { models: null }],
])("asks for %s", (_name, change, asked) => {
  expect(readChanges(shown, { ...shown, ...change })).toEqual(asked);
});

test("a new key is asked for without what was left empty", () => {
  expect(readKeyRequest({ name: " laptop ", expires: "", budget: "", models: "" })).toEqual({
    name: "laptop",
  });
});
