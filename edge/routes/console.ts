/**
 * The console and the documents: files that scripts/console built, read through the ASSETS binding and sent with the headers
 * that keep a page from running anything else. Owns which paths are pages, and the content security policy.
 */
import { type ConsolePath, consolePaths } from "../../shared/console-pages.ts";
import { GatewayError } from "../../shared/errors.ts";
import { isIdentityProvider } from "../../shared/identity-providers.ts";
import { readAssets } from "../env.ts";
import { compress } from "../middleware/compress.ts";
import { createHandlers, type EdgeContext } from "../middleware/context.ts";
import { versionPrefix } from "./unknown-path.ts";

/** Pages of the one application. */
const pages: readonly string[] = consolePaths;
/** The paths to which providers send browsers back. They show the sign-in page, if the provider is set up. */
const returnPage = `${"/sign-in" satisfies ConsolePath}/:provider`;
const docsPages = ["/docs", "/docs/:page"];
const files = "/console/:file";
/** Characters of a built file's path. Any other path is not one of our files. */
const plainPath = /^(?:\/[\w-][\w.-]*)+$/;

export const servedPaths: readonly string[] = [...pages, returnPage, ...docsPages, files];

/** Scripts, styles and calls from this origin only, nothing inline; text never becomes markup (Trusted Types). */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const pageHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  json: "application/json",
};

/** Types that gzip makes a third as long. Pictures are compressed by their own format. */
const texts = /^(?:text\/|application\/json$|image\/svg)/;

/** A file whose name holds a hash of its content never changes. */
const hashed = /-[A-Z0-9]{8}\.\w+$/;

/** The built file of a path; undefined for a path that is not a page. */
function locate({ req, var: { services } }: EdgeContext): string | undefined {
  const { path } = req;
  const provider = req.param("provider");
  if (provider !== undefined) {
    const isSetUp = isIdentityProvider(provider) && services.config.identities[provider] !== undefined;
    return isSetUp ? "/index.html" : undefined;
  }
  if (pages.includes(path)) return "/index.html";
  if (path.startsWith("/console/")) return path;
  return path === "/docs" ? "/docs/index.html" : `${path}.html`;
}

/** A built file; undefined if there is none, as in a Worker deployed without assets. */
async function answerFile(
  context: EdgeContext,
  file: string,
  status: 200 | 404,
): Promise<Response | undefined> {
  const assets = plainPath.test(file) ? readAssets(context.env) : undefined;
  const found = await assets?.fetch(new Request(`https://assets${file}`));
  if (!found?.ok || found.body === null) {
    await found?.body?.cancel();
    return undefined;
  }
  const type = contentTypes[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream";
  if (texts.test(type)) compress(context);
  return context.body(found.body, status, {
    ...pageHeaders,
    "content-type": type,
    "cache-control": hashed.test(file) ? "public, max-age=31536000, immutable" : "no-cache",
  });
}

/** The page that says that there is none, where a person followed a link or typed an address: only browsers ask for HTML. */
export async function showMissingPage(context: EdgeContext): Promise<Response | undefined> {
  const { method, path } = context.req;
  const isOfApi = `${path}/`.startsWith(`${versionPrefix}/`);
  const takesHtml = context.req.header("accept")?.includes("text/html") ?? false;
  return method === "GET" && takesHtml && !isOfApi ? answerFile(context, "/not-found.html", 404) : undefined;
}

async function sendFile(context: EdgeContext): Promise<Response> {
  const file = locate(context);
  const answer =
    (file === undefined ? undefined : await answerFile(context, file, 200)) ??
    (await showMissingPage(context));
  if (answer !== undefined) return answer;
  throw new GatewayError(
    "not_found",
    "There is no page at this path; the console is at / and the documents are at /docs.",
  );
}

export const consoleFile = createHandlers(sendFile);
