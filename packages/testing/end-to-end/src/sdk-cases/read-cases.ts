import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "./scripted-proxy.ts";

/** One call of a client, and a part of its outcome. */
export type CaseCall = {
  method?: "extract" | "job" | "evidence" | "jobs" | "deleteJob" | "account";
  video?: { bytes: number } | { url: string };
  schema?: object;
  schemaText?: string;
  idempotencyKey?: string;
  evidence?: boolean;
  /** A job's id, or `last` for that of the last answer. */
  id?: string;
  limit?: number;
  status?: "succeeded";
  expect: object;
};

/**
 * A case that every client must pass: the behaviour of the service and the network, the calls, and the requests on the
 * wire.
 */
export type Case = {
  name: string;
  key?: "poor" | "wrong";
  retries?: number;
  script?: Behaviour[];
  faults?: object[];
  calls: CaseCall[];
  wire: object;
  /** Further requests of a client that asks for events. */
  eventWire?: object;
};

/** Reads the cases. */
export function readCases(): Case[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8")) as Case[];
}
