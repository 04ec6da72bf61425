import { describe, expect, test } from "vitest";
import { asksToContinue, toOriginForm } from "../../../scripts/self-host/request-head.ts";

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
  ])("%j has none, and stays as it is", (sent) => {
    expect(String(toOriginForm(Buffer.from(sent)))).toBe(sent);
  });
});
