import { describe, expect, test } from "vitest";
import {
  announceClose,
  asksToContinue,
  findFault,
  toOriginForm,
} from "../../../../scripts/self-host/relay/request-head.ts";
import { leastMs } from "../../../support/least-ms.ts";

describe("a head that asks before its body", () => {
  const head = (more: string) => `POST /v1/messages HTTP/1.1\r\nHost: x\r\n${more}Content-Length: 4\r\n\r\n`;

  test.each([
    ["a head that asks", head("Expect: 100-continue\r\n"), true],
    ["whatever its case", head("expect:100-Continue\r\n"), true],
    ["a head that does not", head("Accept: 100-continue\r\n"), false],
    ["a head with its body", `${head("Expect: 100-continue\r\n")}body`, false],
    ["a body that looks like one", `x${head("Expect: 100-continue\r\n")}`, false],
    ["a header's value that quotes it", head("X-Note: a expect: 100-continue\r\n"), false],
  ])("%s: %s", (_name, text, expected) => {
    expect(asksToContinue(Buffer.from(text))).toBe(expected);
  });
});

describe("a target in absolute form", () => {
  const fields = "Host: a\r\nAccept: */*\r\n\r\n";
  const rewritten = (line: string, host: string) =>
    `${line}\r\nHost: ${host}\r\nConnection: close\r\nAccept: */*\r\n\r\n`;

  test.each([
    ["GET http://b:8787/v1/models?size=base HTTP/1.1", "GET /v1/models?size=base HTTP/1.1", "b:8787"],
    ["GET https://b HTTP/1.1", "GET / HTTP/1.1", "b"],
    ["GET HTTP://b?x HTTP/1.0", "GET /?x HTTP/1.0", "b"],
    ["GET http://user:word@b/ HTTP/1.1", "GET / HTTP/1.1", "b"],
  ])("%s is the path and its host, which the field Host does not change", (line, expected, host) => {
    expect(String(toOriginForm(Buffer.from(`${line}\r\n${fields}`)))).toBe(rewritten(expected, host));
  });

  test("keeps the connection for no second request, whatever its client asks for", () => {
    const sent = "GET http://b/ HTTP/1.1\r\nconnection: keep-alive\r\nHOST: a\r\n\r\n";
    expect(String(toOriginForm(Buffer.from(sent)))).toBe(
      "GET / HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\n",
    );
  });

  test("leaves the bytes of a body as they are", () => {
    const body = Buffer.from([0, 255, 13, 10, 104, 111, 115, 116, 58, 13, 10]);
    const sent = Buffer.concat([Buffer.from(`PUT http://b/ HTTP/1.1\r\n${fields}`), body]);
    expect(toOriginForm(sent).subarray(-body.length)).toEqual(body);
  });

  test.each([
    `GET /http://b/ HTTP/1.1\r\n${fields}`,
    `GET http://b/ HTTP/1.1\r\nHost: a`,
    `OPTIONS * HTTP/1.1\r\n${fields}`,
    `\u0016\u0003 http://b/ \r\n\r\n`,
  ])("a head without such a target stays as it is: %j", (sent) => {
    expect(String(toOriginForm(Buffer.from(sent)))).toBe(sent);
  });

  test.each([
    "http://user:p@ss@b/",
    "http://b#part",
    "http://b/ HTTP/1.1 x",
    "http:///v1/models",
    "http://user@/v1/models",
  ])("%s names no host for certain, and stays as it is", (target) => {
    const sent = `GET ${target} HTTP/1.1\r\n${fields}`;
    expect(String(toOriginForm(Buffer.from(sent)))).toBe(sent);
  });

  test.each([
    ["a bare CR", "X-Note: a\rHost: b\r\nHost: a\r\n"],
    ["a bare LF", "X-Note: a\nHost: b\r\nHost: a\r\n"],
    ["a folded field", "Host: a\r\n b\r\nAccept: */*\r\n"],
    ["a field folded by a tab", "Connection: x,\r\n\ty\r\nHost: a\r\n"],
  ])("%s in the head leaves it as it is", (_name, lines) => {
    const sent = `GET http://b/ HTTP/1.1\r\n${lines}\r\n`;
    expect(String(toOriginForm(Buffer.from(sent)))).toBe(sent);
  });

  test.each([
    ["host without an end", (long: string) => `GET http://${long}\r\n\r\n`],
    ["host", (long: string) => `GET http://${long} HTTP/1.1\r\n\r\n`],
    ["user's name", (long: string) => `GET http://${long}@ HTTP/1.1\r\n\r\n`],
    ["path", (long: string) => `GET http://b/${long}\r\n\r\n`],
    ["method", (long: string) => `${long}\r\n\r\n`],
  ])("a long %s is read in linear time", async (_name, write) => {
    const sent = Buffer.from(write("a".repeat(64_000)));
    expect(await leastMs(500, () => toOriginForm(sent))).toBeLessThan(500);
  });
});

describe("a head that workerd would answer 500", () => {
  const post = (fields: string, target = "/v1/messages") => `POST ${target} HTTP/1.1\r\n${fields}\r\n\r\n`;

  test.each([
    ["target", post("Host: a", "v1/messages")],
    ["target", post("Host: a", "*")],
    ["target", post("Host: a:443", "a:443")],
    ["Host", post("Host: a b")],
    ["Host", post("Host: a:99999999")],
    ["Host", post("Host: a\r\nHost: a")],
    ["Host", post("Host: a/b")],
    ["Host", post("Host: [::1")],
    ["Host", post("Host: svc.1")],
    ["Host", post("Host: a~b")],
    ["Host", post("Host: a ")],
    ["Content-Length", post("Host: a\r\nContent-Length: abc")],
    ["Content-Length", post("Host: a\r\ncontent-length:-1")],
    ["Content-Length", post("Host: a\r\nContent-Length: 2, 2")],
    ["Content-Length", post("Host: a\r\nContent-Length: 2\r\nContent-Length: 2")],
    ["Transfer-Encoding", post("Host: a\r\nTransfer-Encoding: gzip, chunked")],
    ["Transfer-Encoding", post("Host: a\r\nTransfer-Encoding: identity")],
    ["Transfer-Encoding", post("Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip")],
  ])("names the fault, its %s: %j", (named, head) => {
    expect(findFault(Buffer.from(head))).toContain(named);
  });

  test.each([
    ["has none", post("Host: 127.0.0.1:8787\r\nContent-Length: 12")],
    ["names an IPv6 host", post("Host: [::1]:8787\r\nContent-Length:12")],
    ["is chunked", post("Host: svc_1.example\r\nTransfer-Encoding: Chunked\r\nContent-Length: abc")],
    [
      "says twice that it is chunked",
      post("Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
    ],
    ["says so twice in one field", post("Host: a\r\nTransfer-Encoding: chunked, chunked")],
    ["names a host with a dot at its end", post("Host: Svc.Example.:8787")],
    ["has odd bytes in its path", post("Host: a", "//v1/%zz/\u00e9?{}|")],
    ["has no HTTP/1.1 host", "GET / HTTP/1.0\r\n\r\n"],
    ["quotes one in a field's value", post("Host: a\r\nX-Note: Content-Length: abc")],
    ["has a name that ends alike", post("Host: a\r\nX-Content-Length: abc")],
    ["is answered 400 by workerd", post("Accept: */*")],
    ["has lines that end elsewhere", post("Host: a b\nAccept: */*")],
    ["comes in pieces", "POST /v1/messages HTTP/1.1\r\nHost: a b\r\n"],
    ["is no HTTP", "hello\r\n\r\n"],
    ["has one only in its body", `${post("Host: a")}\r\nContent-Length: abc\r\n\r\n`],
  ])("is no head that %s", (_, head) => {
    expect(findFault(Buffer.from(head))).toBeUndefined();
  });

  test("a long one is read in linear time", async () => {
    const long = "a".repeat(64_000);
    for (const head of [post(`Host: ${long}`), post(`Host: a\r\n${long}: b`), post("Host: a", `/${long}`)])
      expect(await leastMs(500, () => findFault(Buffer.from(head)))).toBeLessThan(500);
  });
});

describe("an answer after which the connection is closed", () => {
  test.each([
    ["HTTP/1.1 200 OK\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\nA: b\r\n\r\n"],
    ["HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n"],
    ["HTTP", "HTTP"],
    ["HTTP/1.1 200 OK\r", "HTTP/1.1 200 OK\r"],
  ])("%j says so if its status line is whole", (first, written) => {
    expect(String(announceClose(Buffer.from(first)))).toBe(written);
  });
});
