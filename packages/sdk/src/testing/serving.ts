import { expect } from "vitest";
import { createClient } from "../client.ts";
import { type Handler, startFaultServer } from "./start-fault-server.ts";

export const apiKey = "v2j_live_secret";
export const video = new Uint8Array(3 * 2 ** 20).fill(7);
export const schema = { a: "int" };

/** A server that answers with these, one request after the other, and a client of it. */
export async function serving(...handlers: [Handler, ...Handler[]]) {
  const server = await startFaultServer(...handlers);
  return {
    server,
    client: createClient({ apiKey, baseUrl: server.url }),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

/** What a promise is rejected with. */
export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );
