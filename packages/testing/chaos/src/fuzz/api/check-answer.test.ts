import { expect, test } from "vitest";
import { checkAnswer } from "./check-answer.ts";

const get = Buffer.from("GET /v1/me HTTP/1.1\r\n\r\n");
const judge = (text: string, sent = get) =>
  checkAnswer({ status: Number(/ (\d{3}) /.exec(text)?.[1]), text }, sent, true);
const refusal = (status: number, code: string, headers = "") =>
  `HTTP/1.1 ${status} No\r\n${headers}\r\n{"error":{"code":"${code}","message":"No."}}`;

test("a response is counted under its status and its code", () => {
  expect(judge("HTTP/1.1 200 OK\r\n\r\n{}")).toEqual({ name: "200" });
  expect(judge(refusal(400, "schema_invalid"))).toEqual({ name: "400 schema_invalid" });
  expect(judge('HTTP/1.1 400 No\r\n\r\n{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}')).toEqual({ name: "400" });
});

test("a status of 500 or more is a failure, also for a later request on the same connection", () => {
  expect(judge(refusal(500, "internal_error"))).toMatchObject({ name: "500", fault: expect.stringMatching(/^500: /) });
  expect(judge(refusal(501, "x")).fault).toMatch(/^501: /);
  expect(judge(`HTTP/1.1 200 OK\r\n\r\n{}\r\n${refusal(502, "x")}`).fault).toMatch(/^502: /);
});

test("a 503 with provider_unavailable and Retry-After is not a failure and has its own count", () => {
  const documented = refusal(503, "provider_unavailable", "Retry-After: 1\r\n");
  expect(judge(documented)).toEqual({ name: "503 provider_unavailable" });
  expect(judge(refusal(503, "provider_unavailable")).fault).toMatch(/^503: /);
  expect(judge(refusal(503, "not_found", "Retry-After: 1\r\n")).fault).toMatch(/^503: /);
  expect(judge(`${documented}\r\n${refusal(500, "internal_error")}`).fault).toMatch(/^503|^500/);
});

test("a 501 for an unknown transfer coding is not a failure and has its own count", () => {
  expect(judge(refusal(501, "invalid_request"))).toEqual({ name: "501 invalid_request" });
});

test("an internal error is a failure under any status", () => {
  expect(
    judge('HTTP/1.1 200 OK\r\n\r\ndata: {"result":{"text":"{\\"error\\":{\\"code\\":\\"internal_error\\"}}"}}').fault,
  ).toMatch(/^200: /);
  expect(judge('HTTP/1.1 200 OK\r\n\r\ndata: {"error":{"code":-32603,"message":"x"}}').fault).toMatch(/^200: /);
});

test("an error without an Error body is a failure, except for HEAD", () => {
  expect(judge("HTTP/1.1 404 Not Found\r\n\r\n<html>").fault).toMatch(/without an Error body/);
  for (const head of ["HEAD / HTTP/1.1", "\r\nHEAD\t/ HTTP/1.1"]) {
    expect(judge("HTTP/1.1 404 Not Found\r\n\r\n", Buffer.from(head))).toEqual({ name: "404" });
  }
});

test("a complete request without a response and a late response are failures", () => {
  expect(checkAnswer({ status: null, ended: "late" }, get, false).fault).toBe("no answer in time");
  expect(checkAnswer({ status: null, ended: "closed" }, get, true).fault).toMatch(/without an answer/);
  expect(checkAnswer({ status: null, ended: "closed" }, get, false)).toEqual({ name: "closed" });
});
