import { expect } from "vitest";
import { createClient } from "../client.ts";
import { type Handler, startFaultServer } from "./start-fault-server.ts";

export const apiKey = "v2j_live_secret";
export const video = new Uint8Array(3 * 2 ** 20).fill(7);
export const schema = { a: "int" };

/** Starts a server whose handlers answer one request each, and creates a client for it. */
export async function startServerAndClient(...handlers: [Handler, ...Handler[]]) {
  const server = await startFaultServer(...handlers);
  return {
    server,
    client: createClient({ apiKey, baseUrl: server.url }),
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

export const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (error: unknown) => error,
  );
