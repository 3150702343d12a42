import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runsAllTests } from "@video-to-json/testing";
import { createClient } from "video-to-json";
import { expect } from "vitest";
import { makeCalls } from "./make-calls.ts";
import type { Behaviour, Seen } from "./scripted-proxy.ts";

/** One call of a client, and a part of its outcome. */
type CaseCall = {
  method?: "extract" | "job" | "evidence" | "jobs" | "deleteJob" | "account";
  video?: { bytes: number } | { url: string };
  schema?: object;
  schemaText?: string;
  idempotencyKey?: string;
  evidence?: boolean;
  acceptWarnings?: boolean;
  /** A job's id, or `last` for that of the last answer. */
  id?: string;
  limit?: number;
  status?: "succeeded";
  expect: object;
};

/** A case that every client must pass: what service and network do, the calls, and the requests on the wire. */
export type Case = {
  name: string;
  key?: "poor" | "wrong";
  retries?: number;
  /** Whether only the run of all tests has it. */
  isSlow?: true;
  script?: Behaviour[];
  faults?: object[];
  calls: CaseCall[];
  wire: object;
  /** Further requests of a client that asks for events. */
  eventWire?: object;
};

export function readCases(): Case[] {
  const all = JSON.parse(readFileSync(join(import.meta.dirname, "cases.json"), "utf8")) as Case[];
  return all.filter(({ isSlow }) => runsAllTests || !isSlow);
}

/** The address of a run's requests, through the proxy or directly, and the key and the video of its calls. */
export type CaseContext = { baseUrl: string; directUrl: string; key: string; video: string };

/** Checks the outcomes of a case's calls, what the proxy saw and the charge. The client makes the calls in any process. */
export async function runCase(
  one: Case,
  context: CaseContext,
  call: (one: Case, context: CaseContext) => Promise<object[]> = makeCalls,
): Promise<void> {
  const { baseUrl, directUrl, key: apiKey } = context;
  const balance = async () =>
    one.key ? 0 : (await createClient({ apiKey, baseUrl: directUrl }).account()).seconds_remaining;
  const before = await balance();
  expect(await call(one, context)).toMatchObject(one.calls.map(({ expect }) => expect));
  const readSeen = () => fetch(`${baseUrl}/seen`);
  // The pool may give the first request a connection that the proxy has just cut.
  const seen = (await (await readSeen().catch(readSeen)).json()) as Seen[];
  const posts = seen.filter(({ method }) => method === "POST");
  const asksForEvents = posts[0]?.accept.includes("text/event-stream");
  expect({
    posts: posts.length,
    reads: seen.length - posts.length,
    keys: new Set(posts.map(({ key }) => key).filter(Boolean)).size,
    charged: before - (await balance()),
  }).toMatchObject({ ...one.wire, ...(asksForEvents && one.eventWire) });
}
