import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { asUnreachable } from "./unreachable-reason.ts";

const fault = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });

test.each([
  ...["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EADDRNOTAVAIL", "EAI_MEMORY", "EAI_SYSTEM"].map((code) => fault(code)),
  fault("EADDRNOTAVAIL", { address: "8.8.4.4" }),
  new AggregateError([fault("ECONNREFUSED"), fault("ENOBUFS")]),
  new TypeError("fetch failed", { cause: new Error("broken", { cause: fault("ENOMEM") }) }),
])("what this machine lacks is no fault of the URL, and comes back as it is: %s", (error) => {
  expect(asUnreachable(error)).toBe(error);
});

test.each([
  ["refused the connection", fault("ECONNREFUSED", { syscall: "connect" })],
  ["broke before", fault("ECONNRESET")],
  ["did not answer in time", fault("UND_ERR_CONNECT_TIMEOUT")],
  ["was not found", fault("ENOTFOUND", { syscall: "queryA" })],
  ["cannot be looked up right now", fault("EAI_AGAIN", { syscall: "getaddrinfo" })],
  // A machine without IPv6, and a server that has nothing else.
  ["broke before", fault("EADDRNOTAVAIL", { address: "2606:4700::1" })],
  ["broke before", new AggregateError([fault("ECONNREFUSED"), fault("EADDRNOTAVAIL", { address: "2606:4700::1" })])],
])("what the URL leads to is told as that it %s", (words, error) => {
  const problem = asUnreachable(error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "video_unreachable", message: expect.stringContaining(words), cause: error });
});
