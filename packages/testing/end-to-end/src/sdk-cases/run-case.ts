import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { runsAllTests } from "@video-to-json/testing";
import { createClient, VideoToJsonConnectionError, VideoToJsonError } from "video-to-json";
import { expect } from "vitest";
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

type Client = ReturnType<typeof createClient>;

/** Makes the calls of a case with the TypeScript client. Checks each outcome and the sent requests. */
export async function runCase(one: Case, { baseUrl, directUrl, key: apiKey, video }: CaseContext): Promise<void> {
  const client = createClient({ apiKey, baseUrl, retries: one.retries ?? 4 });
  const balance = async () =>
    one.key ? 0 : (await createClient({ apiKey, baseUrl: directUrl }).account()).seconds_remaining;
  const before = await balance();
  const state = { last: "" };
  for (const call of one.calls) expect(await outcomeOf(client, call, { video, state })).toMatchObject(call.expect);
  const seen = (await (await fetch(`${baseUrl}/seen`)).json()) as Seen[];
  const posts = seen.filter(({ method }) => method === "POST");
  const asksForEvents = posts[0]?.accept.includes("text/event-stream");
  expect({
    posts: posts.length,
    reads: seen.length - posts.length,
    keys: new Set(posts.map(({ key }) => key).filter(Boolean)).size,
    charged: before - (await balance()),
  }).toMatchObject({ ...one.wire, ...(asksForEvents && one.eventWire) });
}

type State = { video: string; state: { last: string } };

async function outcomeOf(client: Client, call: CaseCall, { video, state }: State): Promise<object> {
  const id = call.id === "last" ? state.last : (call.id ?? "");
  try {
    switch (call.method) {
      case "job":
        return { job: await client.job(id) };
      case "evidence": {
        const { fields, whole_video, absent } = await client.evidence(id);
        return { evidence: { pointers: [...Object.keys(fields), ...whole_video], absent } };
      }
      case "jobs": {
        const { jobs, next_cursor } = await client.jobs({ limit: call.limit, status: call.status });
        return { page: { jobs: jobs.length, isLast: jobs[0]?.id === state.last, hasMore: next_cursor !== null } };
      }
      case "deleteJob":
        await client.deleteJob(id);
        return { deleted: true };
      case "account":
        return { account: { isNumber: typeof (await client.account()).seconds_remaining === "number" } };
      default: {
        const stages: string[] = [];
        const answer = await client.extract({
          ...(await videoOf(call, video)),
          schema: call.schemaText ?? call.schema ?? {},
          evidence: call.evidence,
          acceptWarnings: call.acceptWarnings,
          idempotencyKey: call.idempotencyKey,
          onProgress: ({ stage }) => void (stages.at(-1) === stage || stages.push(stage)),
        });
        state.last = answer.id;
        return { answer, progress: stages };
      }
    }
  } catch (error) {
    return { error: plainError(error) };
  }
}

async function videoOf({ video = { url: "" } }: CaseCall, clip: string) {
  if ("bytes" in video) return { video: new Uint8Array(video.bytes).fill(7) };
  return video.url ? { videoUrl: video.url } : { video: new Uint8Array(await readFile(clip)) };
}

function plainError(error: unknown): object {
  if (error instanceof VideoToJsonError) {
    const { code, status, retryable, retryAfterSeconds, details, jobId } = error;
    const parts = { details: (details?.length ?? 0) > 0, jobId: jobId !== undefined, retryAfter: retryAfterSeconds };
    return { family: "service", code, status, retryable, ...parts };
  }
  if (!(error instanceof VideoToJsonConnectionError)) throw error;
  const { status, retryable, idempotencyKey } = error;
  return { family: "connection", status, retryable, idempotencyKey: idempotencyKey !== undefined };
}
