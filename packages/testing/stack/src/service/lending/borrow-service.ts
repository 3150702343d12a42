import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { inject } from "vitest";
import { createKey } from "../../stack/stack-account.ts";
import { openService } from "../service.ts";
import type { Loan } from "./lend-services.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The port of 127.0.0.1 where test files borrow a service. `global-setup.ts` provides it. */
    services: { port: number };
  }
}

/**
 * Borrows a service that other test files use before and after, never at the same time, with a new account.
 * The borrower may set faults of the emulator. It ends no process and undoes what it did with one.
 *
 * @param freeSeconds the seconds of the account; by default half an hour
 */
export async function borrowService({ freeSeconds = 1800 }: { freeSeconds?: number | undefined } = {}) {
  const socket = connect(inject("services").port, "127.0.0.1");
  const [line] = await Promise.race([
    once(createInterface(socket), "line"),
    once(socket, "close").then(() => Promise.reject(new Error("The shared services have ended."))),
  ]);
  const loan = JSON.parse(String(line)) as Loan;
  if ("error" in loan) throw new Error(loan.error);
  const { facts } = loan;
  const accountEmail = `${randomUUID()}@example.com`;
  const apiKey = await createKey({ ...facts.settings, FREE_SECONDS: String(freeSeconds) }, accountEmail);
  const service = await openService({ ...facts, apiKey, accountEmail });
  return {
    ...service,
    /** The only port of 127.0.0.1 that a `video_url` may name. */
    sitePort: Number(facts.settings.FETCH_ALLOW_HOSTS?.split(":")[1]),
    /** The port of 127.0.0.1 to which it sends its mail. */
    mailPort: Number(new URL(String(facts.settings.SMTP_URL)).port),
    async [Symbol.asyncDispose]() {
      socket.end();
      if (!socket.closed) await once(socket, "close");
    },
  };
}

/** A service that is borrowed. */
export type BorrowedService = Awaited<ReturnType<typeof borrowService>>;
