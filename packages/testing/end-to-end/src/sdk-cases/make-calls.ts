import { readFile } from "node:fs/promises";
import { createClient, VideoToJsonConnectionError, VideoToJsonError } from "video-to-json";
import type { Case, CaseContext } from "./run-case.ts";

/** Makes the calls of a case, in order, with the TypeScript client, and returns the outcome of each. */
export async function makeCalls(one: Case, { baseUrl, key, video }: CaseContext): Promise<object[]> {
  const client = createClient({ apiKey: key, baseUrl, retries: one.retries ?? 4 });
  const state = { last: "" };
  const outcomes: object[] = [];
  for (const call of one.calls) outcomes.push(await outcomeOf(client, call, { video, state }));
  return outcomes;
}

type Client = ReturnType<typeof createClient>;
type State = { video: string; state: { last: string } };

async function outcomeOf(client: Client, call: Case["calls"][number], { video, state }: State): Promise<object> {
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

async function videoOf({ video = { url: "" } }: Case["calls"][number], clip: string) {
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

// Another runtime runs this file as a program. Its arguments are the case and the context.
if (import.meta.main) {
  const [one, context] = process.argv.slice(2).map((text) => JSON.parse(text));
  console.log(JSON.stringify(await makeCalls(one, context)));
}
