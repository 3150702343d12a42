import { afterAll, beforeAll, expect, test } from "vitest";
import { borrowMcpService, type McpService } from "./borrow-mcp-service.ts";
import { connectMcp, type McpClient, mcpClients } from "./mcp-clients.ts";
import { askedOf, bearer } from "./service-facts.ts";

let service: McpService;
let callers: Awaited<ReturnType<typeof newCaller>>[];
beforeAll(async () => {
  service = await borrowMcpService();
  callers = await Promise.all(mcpClients.map(newCaller));
});
afterAll(async () => {
  await Promise.all(callers.map((caller) => caller.close()));
  await service[Symbol.asyncDispose]();
});

const modern = "SDK v2 of 2026-07-28";
type JobRecord = { id: string; status: string; instructions: string; data: unknown; billed_seconds: number };

/** A client and its calls. The calls of two clients are never identical. */
async function newCaller(kind: McpClient) {
  const headers = bearer(service.apiKey);
  const client = await connectMcp(kind, { baseUrl: service.baseUrl, headers });
  const urlOf = (name: string) => service.videoUrl(`${name}, ${kind}`);
  const call = (name: string, timeout: number) =>
    client.call("extract", { video_url: urlOf(name), schema: { main_color: "red|green|blue" } }, { timeout });
  const recordsOf = async (name: string) => {
    const { structuredContent } = await client.call("recent_extractions", { video_url: urlOf(name) });
    const { extractions } = structuredContent as { extractions: JobRecord[] };
    return extractions;
  };
  return {
    kind,
    extract: (name: string) => call(name, 60_000),
    /** Starts a call that the client cancels after a time in milliseconds. */
    giveUp: (name: string, ms: number) => expect(call(name, ms)).rejects.toThrow(/timed out/i),
    /** Waits until the only job of the calls with a name has this status. Returns it. */
    jobWhen: async (name: string, status: string) => {
      const statuses = async () => (await recordsOf(name)).map((job) => job.status);
      await expect.poll(statuses, { interval: 50 }).toEqual([status]);
      const [job] = await recordsOf(name);
      expect(JSON.parse((await service.read(`/v1/jobs/${job?.id}`)).text)).toMatchObject({ ...job });
      return job;
    },
    close: () => client.close(),
  };
}

/** While this lock is held, the worker claims no job and finishes none. */
async function withoutWorker(doing: () => Promise<void>): Promise<void> {
  const { pid } = service.processOf("worker-1");
  process.kill(pid, "SIGSTOP");
  try {
    await doing();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

test("a call that is cancelled after its hold is charged once and can be read; the same call joins it", async () => {
  const [before, seconds] = [await askedOf(service), await service.secondsRemaining()];
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 24_000, times: callers.length }]);
  await Promise.all(
    callers.map(async ({ giveUp, jobWhen, extract }) => {
      // By then, even a busy machine has made the hold.
      await giveUp("held", 16_000);
      const running = await jobWhen("held", "running");
      const joined = await extract("held");
      const answer = { id: running?.id, data: { main_color: "red" }, billed_seconds: 60 };
      expect(joined.structuredContent).toMatchObject(answer);
      expect(await jobWhen("held", "succeeded")).toMatchObject({ ...answer, error: null });
    }),
  );
  expect(await askedOf(service)).toBe(before + callers.length);
  expect(await service.secondsRemaining()).toBe(seconds - 60 * callers.length);
});

test("a call of the protocol of 2025 that is cancelled while its job waits cancels nothing", async () => {
  const legacy = callers.filter(({ kind }) => kind !== modern);
  const seconds = await service.secondsRemaining();
  await withoutWorker(async () => {
    await Promise.all(legacy.map(({ giveUp }) => giveUp("waits", 500)));
    await Promise.all(legacy.map(({ jobWhen }) => jobWhen("waits", "queued")));
  });
  const jobs = await Promise.all(legacy.map(({ jobWhen }) => jobWhen("waits", "succeeded")));
  for (const job of jobs) expect(job).toMatchObject({ data: { main_color: "red" }, billed_seconds: 60 });
  expect(await service.secondsRemaining()).toBe(seconds - 60 * legacy.length);
});

test("a call of the protocol of 2026 that is cancelled while its job waits is uncharged and never runs", async () => {
  const caller = callers.find(({ kind }) => kind === modern);
  if (!caller) throw new Error("There is no client of 2026.");
  const [before, seconds] = [await askedOf(service), await service.secondsRemaining()];
  const cancelled = { data: null, billed_seconds: 0, model: null, error: { code: "invalid_request" } };
  await withoutWorker(async () => {
    await caller.giveUp("cancelled", 500);
    expect(await caller.jobWhen("cancelled", "failed")).toMatchObject(cancelled);
  });
  // The next job in the queue runs, but the cancelled one does not.
  expect((await caller.extract("after it")).isError).toBeFalsy();
  expect(await caller.jobWhen("cancelled", "failed")).toMatchObject(cancelled);
  expect(await askedOf(service)).toBe(before + 1);
  expect(await service.secondsRemaining()).toBe(seconds - 60);
});
