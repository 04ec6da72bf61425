/**
 * What the relay does of HTTP, because workerd does not: it recognises a client that waits for `100 Continue` or speaks TLS, serves a
 * connection whose request target is in absolute form, and finds the faults to which workerd answers 500. Pure: bytes in, bytes out.
 */

const headEnd = Buffer.from("\r\n\r\n");

/**
 * Whether these bytes are a whole head with `Expect: 100-continue` and nothing after it. Clients that send this wait after their
 * head. A head that comes in pieces is not recognised; its client continues after its own timeout.
 */
export function asksToContinue(chunk: Buffer): boolean {
  if (chunk.length > 65_536 || !chunk.subarray(-4).equals(headEnd)) return false;
  return /^(?:POST|PUT|PATCH) [^\r\n]* HTTP\/1\.1\r\n(?:[^\r\n]+\r\n)*?expect: *100-continue *\r\n/i.test(
    chunk.toString("latin1"),
  );
}

/** Whether a connection begins with a TLS handshake: a record of that type, of any version 3.x, with a ClientHello. */
export const beginsTls = (first: Buffer): boolean =>
  first[0] === 0x16 && first[1] === 0x03 && first[5] === 0x01;

/**
 * `GET http://user@host/path HTTP/1.1`: method, host, path, version. Each part ends at a character that it cannot hold. If two parts
 * could match the same characters, the expression would try every division between them: quadratic time for a long host.
 */
const absoluteForm = /^(\S+) https?:\/\/(?:[^\s/?#@]*@)?([^\s/?#@]+)((?:[/?]\S*)?) (HTTP\/1\.[01])\r\n/i;
const closing = "Connection: close\r\n";
/** A bare CR or LF, or a field continued on the next line: servers differ in where such lines end, so replacing a field is not safe. */
const unclearLines = /\r(?!\n)|(?<!\r)\n|\n[ \t]/;
const replacedFields = /^(?:host|connection):.*\r\n/gim;

/**
 * Rewrites a target in absolute form (`GET http://host/path`, RFC 9112 3.2.2), to which workerd answers 500, as a path and a `Host`.
 * Only the first bytes of a connection are known to be a head, so the client has to send its next request on another connection
 * (`announceClose`). A head that comes in pieces, or has unclear lines, stays as it is.
 */
export function toOriginForm(first: Buffer): Buffer {
  const end = first.indexOf(headEnd);
  const head = first.toString("latin1", 0, end === -1 ? 0 : end + 2);
  const [line, method, host, path = "", version] = absoluteForm.exec(head) ?? [];
  if (line === undefined || unclearLines.test(head)) return first;
  const target = path.startsWith("/") ? path : `/${path}`;
  const fields = head.slice(line.length).replace(replacedFields, "");
  const written = `${method} ${target} ${version}\r\nHost: ${host}\r\n${closing}${fields}`;
  return Buffer.concat([Buffer.from(written, "latin1"), first.subarray(end + 2)]);
}

const requestLine = /^[A-Z]+ +(\S+) +HTTP\/1\.[01]\r\n/;

/** Values of a head's field; a name has no space before its colon (RFC 9112 5.1). */
const valuesOf = (head: string, name: string): string[] =>
  [...head.matchAll(new RegExp(`\\r\\n${name}:[ \\t]*([^\\r]*)`, "gi"))].map(([, value]) => value!);

/**
 * What is wrong with a head, in words for its caller, if workerd would answer it with 500 in plain text, a stack in its log and so an
 * alert, as if the service had failed. To other faulty heads workerd's own 400 says enough. Reads only the first bytes of a connection,
 * as `toOriginForm` does.
 */
export function findFault(first: Buffer): string | undefined {
  const end = first.indexOf(headEnd);
  const head = first.toString("latin1", 0, end === -1 ? 0 : end + 2);
  const [line, target] = requestLine.exec(head) ?? [];
  if (line === undefined || target === undefined || unclearLines.test(head)) return undefined;
  if (!target.startsWith("/")) return "The request's target is no path: write it as /v1/models.";
  const hosts = valuesOf(head, "host").filter(Boolean).join();
  if (hosts !== "" && !(hostLetters.test(hosts) && URL.canParse(`http://${hosts}`)))
    return "The header Host is no name of a server, with or without a port.";
  const encodings = valuesOf(head, "transfer-encoding");
  if (encodings.length > 0)
    return encodings.every((value) => knownEncodings.test(value)) ? undefined : unknownEncoding;
  const lengths = valuesOf(head, "content-length");
  return /^\d*$/.test(lengths.join()) ? undefined : "The header Content-Length is no number of bytes.";
}

/** workerd refuses a space at the end of these values, which RFC 9112 allows. */
const hostLetters = /^[\w.:[\]-]*$/;
/** A proxy may join two fields that say the same. */
const knownEncodings = /^(?:chunked(?:, *chunked)*)?$/i;
const unknownEncoding =
  "The header Transfer-Encoding has a coding other than chunked, which is not read here.";

/**
 * Adds `Connection: close` to the first bytes of an answer, because workerd obeys the field in a request but does not write it in the
 * answer. Without a whole status line the bytes stay as they are.
 */
export function announceClose(first: Buffer): Buffer {
  if (!first.includes("\r\n")) return first;
  const at = first.indexOf("\r\n") + 2;
  return Buffer.concat([first.subarray(0, at), Buffer.from(closing), first.subarray(at)]);
}
