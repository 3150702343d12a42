import { defaultLimits } from "@video-to-json/contract";
import type { ExtractResponse } from "@video-to-json/contract/shapes/extract";
import { claimJob, findAnyJob, type JobRow, listJobs, markCleanedUp, saveDuration } from "@video-to-json/database";
import { hold, settle } from "@video-to-json/database/money";
import { openSchemaSandbox } from "@video-to-json/schema";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";
import { routes } from "./routes.ts";

let api: Awaited<ReturnType<typeof startTestApi>>;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

type Example = { value: Record<string, unknown> };
const operation = openApiDocument(routes, "/", defaultLimits).paths["/v1/extract"]?.post;
const bodies = operation?.requestBody?.content ?? {};
const answers = operation?.responses[200]?.content?.["application/json"]?.examples ?? {};
const [documented] = Object.values(answers) as { value: ExtractResponse }[];

const requests = Object.entries(bodies).flatMap(([type, { examples }]) =>
  Object.entries(examples as Record<string, Example>).map(([name, { value }]) => [name, type, value] as const),
);

/** Returns a documented body in the form in which it is sent. The test invents the file that it names. */
function bodyOf(type: string, value: Record<string, unknown>): { body: FormData | string; headers: object } {
  if (type === "application/json") return { body: JSON.stringify(value), headers: { "content-type": type } };
  const form = new FormData();
  for (const [name, text] of Object.entries(value)) {
    form.append(name, name === "video" ? new File([new Uint8Array(1000)], String(text)) : String(text));
  }
  return { body: form, headers: {} };
}

/** Plays the worker: finishes a job with the documented answer. */
async function answer({ id, accountId }: JobRow, { data, video, billed_seconds }: ExtractResponse): Promise<void> {
  const fence = (await claimJob(api.db, id))?.fence ?? 0;
  await saveDuration(api.db, { id, fence, durationMs: video.duration_seconds * 1000 });
  const job = { jobId: id, accountId, fence };
  expect(await hold(api.db, { ...job, seconds: billed_seconds })).toBe("held");
  await settle(api.db, { ...job, dataText: JSON.stringify(data), model: "m", billedSeconds: billed_seconds });
  await markCleanedUp(api.db, id);
}

test.each(requests)(
  "the documented request %s (%s) is accepted and gets the documented response",
  async (name, type, value) => {
    if (!documented) throw new Error("the description has no answer");
    const caller = await api.newCaller(`${name}@example.com`);
    const { body, headers } = bodyOf(type, value);
    const sent = fetch(`${api.url}/v1/extract`, { method: "POST", headers: { ...caller.headers, ...headers }, body });
    const jobs = () => listJobs(api.db, { accountId: caller.accountId, limit: 2, maxDataBytes: 0 });
    await expect.poll(async () => (await jobs()).length, { interval: 20 }).toBe(1);
    const job = await findAnyJob(api.db, (await jobs())[0]?.id ?? "");
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
  "the documented answer conforms to the schema of the documented request %s (%s)",
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
