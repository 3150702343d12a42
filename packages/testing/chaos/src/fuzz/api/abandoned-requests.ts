import fc from "fast-check";
import { writeRequest } from "./write-request.ts";

/** Pipelined requests of clients that close the connection without reading the responses, some of which are large. */
export function abandonedRequests(key: string): fc.Arbitrary<Buffer> {
  const path = fc.constantFrom(
    "/docs",
    "/docs/swagger-ui-bundle.js",
    "/docs/openapi.json",
    "/v1/openapi.json",
    "/v1/me",
  );
  const headers = [
    ["Authorization", `Bearer ${key}`],
    ["Connection", "keep-alive"],
  ] as const;
  return fc
    .tuple(path, fc.integer({ min: 1, max: 40 }))
    .map(([to, times]) => Buffer.concat(Array(times).fill(writeRequest({ method: "GET", path: to, headers }))));
}
