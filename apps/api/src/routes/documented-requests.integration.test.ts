import { defaultLimits, openApiDocument } from "@video-to-json/contract";
import { claimJob, type JobRow, listJobs, markCleanedUp, saveDuration } from "@video-to-json/database";
import { hold, settle } from "@video-to-json/ledger";
import { openSchemaSandbox } from "@video-to-json/schema-input";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

type Example = { value: Record<string, unknown> };
const { paths } = openApiDocument("/");
const bodies = paths["/v1/extract"].post.requestBody.content;
const [documented] = Object.values(
  paths["/v1/extract"].post.responses[200].content["application/json"].examples as Record<
    string,
    { value: Extraction }
  >,
);
type Extraction = { id: string; data: unknown; video: { duration_seconds: number }; billed_seconds: number };

const requests = Object.entries(bodies).flatMap(([type, { examples }]) =>
  Object.entries(examples as Record<string, Example>).map(([name, { value }]) => [name, type, value] as const),
);

/** A body as it stands in the description; the file that is named there is made up. */
function bodyOf(type: string, value: Record<string, unknown>): { body: FormData | string; headers: object } {
  if (type === "application/json") return { body: JSON.stringify(value), headers: { "content-type": type } };
  const form = new FormData();
  for (const [name, text] of Object.entries(value)) {
    form.append(name, name === "video" ? new File([new Uint8Array(1000)], String(text)) : String(text));
  }
  return { body: form, headers: {} };
}

/** Plays the worker: ends a job with the answer that is documented. */
async function answer({ id, accountId }: JobRow, { data, video, billed_seconds }: Extraction): Promise<void> {
  const fence = (await claimJob(api.db, id))?.fence ?? 0;
  await saveDuration(api.db, { id, fence, durationMs: video.duration_seconds * 1000 });
  const job = { jobId: id, accountId, fence };
  expect(await hold(api.db, { ...job, seconds: billed_seconds })).toBe("held");
  await settle(api.db, { ...job, dataText: JSON.stringify(data), model: "m", billedSeconds: billed_seconds });
  await markCleanedUp(api.db, id);
}

test.each(requests)(
  "the request %s (%s) is taken as it stands, and answered as described",
  async (name, type, value) => {
    if (!documented) throw new Error("no answer is documented");
    const caller = await api.newCaller(`${name}@example.com`);
    const { body, headers } = bodyOf(type, value);
    const sent = fetch(`${api.url}/v1/extract`, { method: "POST", headers: { ...caller.headers, ...headers }, body });
    const jobs = () => listJobs(api.db, { accountId: caller.accountId, limit: 2, maxBytes: 1e6 });
    await expect.poll(async () => (await jobs()).length, { interval: 20 }).toBe(1);
    const [job] = await jobs();
    const text = type === "application/json" ? JSON.stringify(value.schema) : value.schema;
    expect(job).toMatchObject({
      schemaText: text,
      instructions: value.instructions ?? null,
      videoUrl: value.video_url ?? null,
      hasUpload: "video" in value,
    });
    if (job) await answer(job, documented.value);
    const response = await sent;
    expect([response.status, await response.json()]).toEqual([200, { ...documented.value, id: job?.id }]);
  },
);

test.each(requests)(
  "the answer that is described conforms to the schema of the request %s (%s)",
  async (_name, _type, value) => {
    const sandbox = openSchemaSandbox({ limits: defaultLimits, threads: 1 });
    const text = typeof value.schema === "string" ? value.schema : JSON.stringify(value.schema);
    const { data, video } = documented?.value ?? { data: undefined, video: { duration_seconds: 0 } };
    const checked = await sandbox.check(
      await sandbox.compile(text),
      JSON.stringify(data),
      video.duration_seconds * 1000,
    );
    expect(checked).toMatchObject({ ok: true });
    await sandbox.close();
  },
);
