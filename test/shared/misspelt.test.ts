import { describe, expect, test } from "vitest";
import { findMisspelt } from "../../shared/misspelt.ts";

const known = ["PORT", "DATA_DIR", "LIBSQL_URL", "VAULT_KEYS", "TRUSTED_PROXIES", "WORKER_HOST", "GIT_SHA"];
const find = (name: string, value = "x") => findMisspelt({ [name]: value }, known);

describe("a variable of the environment", () => {
  test.each([
    ["VAULT_KEY", "VAULT_KEYS"],
    ["LIBSQL_URI", "LIBSQL_URL"],
    ["TRUSTED_PROXY", "TRUSTED_PROXIES"],
    ["DATADIR", "DATA_DIR"],
    ["DATA__DIR", "DATA_DIR"],
    ["DATA_TIR", "DATA_DIR"],
    ["WORKER_HSOT", "WORKER_HOST"],
  ])("%s is told, with the name that it probably is, and without its value", (name, meant) => {
    expect(find(name, "canary")).toEqual([
      `${name} is set, but is no variable of this service: is it ${meant}?`,
    ]);
  });

  test.each(["VAULT_KEYS", "GIT_SSH", "HOST", "DOCKER_HOST", "SORT", "PATH", "DATABASE_URL", "WORKER_NAME"])(
    "%s is one of ours, or foreign to us",
    (name) => {
      expect(find(name)).toEqual([]);
    },
  );

  test("that is blank counts as unset", () => {
    expect(find("VAULT_KEY", " ")).toEqual([]);
  });
});
