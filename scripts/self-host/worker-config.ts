/**
 * The edge's settings for a bare workerd. Date and flags are read from wrangler.toml, so that the local service and the deployed
 * one run with the same; values of variables are never written to the file.
 */
import { type EdgeVariables, edgeVariableNames } from "./edge-variables.ts";

export type WorkerSettings = { main: string; compatibilityDate: string; compatibilityFlags: string[] };

/**
 * V8's heap limit. By default V8 lets garbage grow to four times what is alive before it collects, so a dozen large bodies took a
 * gigabyte. An isolate of Workers has 128 MiB; here a thousand open streams take 48 (test/system/failures/leaks.test.ts), and
 * large bodies BODY_MEMORY_MIB.
 */
const heapMib = 288;
/**
 * Heap size at which V8 starts incremental collection, and the size limit of a semi-space. V8's defaults start far later, and
 * keep much of the garbage of opening a stream (docs/performance/history.md, "Memory of the other processes").
 */
const firstCollectedMib = 32;
const semiSpaceMib = 8;
const v8Flags = [
  `--max-old-space-size=${heapMib}`,
  `--initial-old-space-size=${firstCollectedMib}`,
  `--max-semi-space-size=${semiSpaceMib}`,
  // A global `gc`, for edge/garbage.ts. No script but the edge's runs in this process.
  "--expose-gc",
];

/** Reads the three top-level keys that are needed; not a TOML parser. @throws if one is missing */
export function readWorkerSettings(toml: string): WorkerSettings {
  const read = (key: string): string => {
    const value = new RegExp(`^${key}\\s*=\\s*(.+)$`, "m").exec(toml)?.[1];
    if (value === undefined) throw new Error(`wrangler.toml has no ${key}`);
    return value;
  };
  return {
    main: JSON.parse(read("main")),
    compatibilityDate: JSON.parse(read("compatibility_date")),
    compatibilityFlags: JSON.parse(read("compatibility_flags")),
  };
}

/**
 * @param moduleFile the bundled edge, beside the configuration file
 * @param assetsFolder the console's files, an absolute path: what wrangler.toml calls [assets]
 * @param variables only their names are used: workerd takes the values from its own environment
 */
export function buildWorkerConfig(
  settings: WorkerSettings,
  moduleFile: string,
  assetsFolder: string,
  variables: EdgeVariables,
): string {
  const bindings = edgeVariableNames
    .filter((name) => variables[name] !== undefined)
    .map((name) => `(name = "${name}", fromEnvironment = "${name}")`);
  const assets = '(name = "ASSETS", service = "console")';
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .edge),
    (name = "console", disk = (path = ${JSON.stringify(assetsFolder)})),
    (name = "internet", network = (allow = ["public", "private", "local"], tlsOptions = (trustBrowserCas = true)))
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  v8Flags = [${v8Flags.map((flag) => JSON.stringify(flag)).join(", ")}]
);
const edge :Workerd.Worker = (
  modules = [(name = "edge.js", esModule = embed ${JSON.stringify(moduleFile)})],
  compatibilityDate = ${JSON.stringify(settings.compatibilityDate)},
  compatibilityFlags = ${JSON.stringify(settings.compatibilityFlags)},
  bindings = [${[assets, ...bindings].join(", ")}],
  globalOutbound = "internet"
);
`;
}
