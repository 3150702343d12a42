import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { asUnreachable } from "./unreachable-reason.ts";

const errorWith = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });

test.each([
  ...["EMFILE", "ENFILE", "ENOMEM", "ENOBUFS", "EADDRNOTAVAIL", "EAI_MEMORY", "EAI_SYSTEM"].map((code) =>
    errorWith(code),
  ),
  errorWith("EADDRNOTAVAIL", { address: "8.8.4.4" }),
  new AggregateError([errorWith("ECONNREFUSED"), errorWith("ENOBUFS")]),
  new TypeError("fetch failed", { cause: new Error("broken", { cause: errorWith("ENOMEM") }) }),
])("exhausted local resources are not blamed on the URL: %s", (error) => {
  expect(asUnreachable(error)).toBe(error);
});

test.each([
  ["refused the connection", errorWith("ECONNREFUSED", { syscall: "connect" })],
  ["closed before", errorWith("ECONNRESET")],
  ["did not answer in time", errorWith("UND_ERR_CONNECT_TIMEOUT")],
  ["was not found", errorWith("ENOTFOUND", { syscall: "queryA" })],
  ["cannot be resolved right now", errorWith("EAI_AGAIN", { syscall: "getaddrinfo" })],
  // A machine without IPv6, and a server with IPv6 addresses only.
  ["closed before", errorWith("EADDRNOTAVAIL", { address: "2606:4700::1" })],
  [
    "closed before",
    new AggregateError([errorWith("ECONNREFUSED"), errorWith("EADDRNOTAVAIL", { address: "2606:4700::1" })]),
  ],
])("the message says: %s", (words, error) => {
  const problem = asUnreachable(error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({ code: "video_unreachable", message: expect.stringContaining(words), cause: error });
});
