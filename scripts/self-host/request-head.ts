/**
 * What the relay does of HTTP, because workerd does not: it recognises a client that waits for `100 Continue` or speaks TLS, and serves a
 * connection whose request target is in absolute form. Pure: bytes in, bytes out.
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
 * `GET http://user@host/path HTTP/1.1`: method, host, path, version. Each part ends at a character that it cannot hold: where two parts could share
 * a long host, reading it took time by the square of its length.
 */
const absoluteForm = /^(\S+) https?:\/\/(?:[^\s/?#@]*@)?([^\s/?#@]+)((?:[/?]\S*)?) (HTTP\/1\.[01])\r\n/i;
const closing = "Connection: close\r\n";
/** Lines that servers divide in different ways, a bare CR or LF or a continued field: no field can be taken out for certain. */
const unclearLines = /\r(?!\n)|(?<!\r)\n|\n[ \t]/;
const replacedFields = /^(?:host|connection):.*\r\n/gim;

/**
 * The first bytes of a connection, with a target in absolute form (`GET http://host/path`, RFC 9112 3.2.2) as the path and `Host` that
 * it means: workerd answers 500 to it. Only a connection's first bytes are known to be a head, so its next request has to come on
 * another one (`announceClose`). A head that comes in pieces, or whose lines are unclear, stays as it is.
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

/**
 * The first bytes of an answer, with the word that no other comes on this connection: workerd reads `Connection: close`, but does not write it.
 * Without a whole status line they stay as they are.
 */
export function announceClose(first: Buffer): Buffer {
  if (!first.includes("\r\n")) return first;
  const at = first.indexOf("\r\n") + 2;
  return Buffer.concat([first.subarray(0, at), Buffer.from(closing), first.subarray(at)]);
}
