import { readFile } from "node:fs/promises";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { runsAllTests, serveLocally } from "@video-to-json/testing/running";
import postgres from "postgres";
import { createClient } from "video-to-json";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askedOf, bearer } from "./service-facts.ts";

const readsPerMinute = 30;
const opened = new AsyncDisposableStack();
let service: Service;
let videoUrl: string;
let sql: postgres.Sql;
beforeAll(async () => {
  let clip = Buffer.alloc(0);
  const site = opened.use(await serveLocally((_request, response) => response.end(clip)));
  videoUrl = `${site.url}/clip.mp4`;
  const limits = { EXTRACTIONS_PER_MINUTE: "10000", READS_PER_MINUTE: String(readsPerMinute) };
  const env = { DRAIN_SECONDS: "1", SHUTDOWN_GRACE_SECONDS: "1", DATABASE_CONNECTIONS: "5", ...limits };
  service = opened.use(await startService({ apis: 2, env: { ...env, FETCH_ALLOW_HOSTS: site.host } }));
  sql = opened.adopt(postgres(service.databaseUrl, { max: 1 }), (client) => client.end());
  clip = await readFile(service.video);
});
afterAll(() => opened.disposeAsync());

type Sent = { status: number; text: string; jobId: string | null; replayed: string | null };

const schema = '{"main_color":"red|green|blue"}';

async function send(index: number, key: string, body: FormData | string, signal?: AbortSignal): Promise<Sent> {
  const type = typeof body === "string" ? { "content-type": "application/json" } : undefined;
  const headers = { ...bearer(service.apiKey), "idempotency-key": key, ...type };
  const url = service.apiUrls[index % service.apiUrls.length];
  const answer = await fetch(`${url}/v1/extract`, { method: "POST", headers, body, signal: signal ?? null });
  const [jobId, replayed] = [answer.headers.get("job-id"), answer.headers.get("idempotent-replayed")];
  return { status: answer.status, text: await answer.text(), jobId, replayed };
}

const fifty = <T>(make: (index: number) => T): T[] => Array.from({ length: 50 }, (_, index) => make(index));

function json(instructions = ""): string {
  return `{"schema":${schema},"video_url":${JSON.stringify(videoUrl)},"instructions":${JSON.stringify(instructions)}}`;
}

async function form(fileName = "clip.mp4"): Promise<FormData> {
  const made = new FormData();
  made.append("schema", schema);
  made.append("video", new File([await readFile(service.video)], fileName));
  return made;
}

async function spent() {
  const [row] = await sql`
    select (select count(*)::int from jobs) as jobs, (select -sum(seconds)::int from ledger) as seconds`;
  return { seconds: Number(row?.seconds), jobs: Number(row?.jobs), asked: await askedOf(service) };
}

async function spending<T>(work: () => Promise<T>): Promise<{ result: T; cost: Awaited<ReturnType<typeof spent>> }> {
  const before = await spent();
  const result = await work();
  const { seconds, jobs, asked } = await spent();
  const cost = { seconds: seconds - before.seconds, jobs: jobs - before.jobs, asked: asked - before.asked };
  return { result, cost };
}

const once60 = { seconds: 60, jobs: 1, asked: 1 };
const slowly = (ms = 2000) => service.emulator.setFaults([{ on: "generate", kind: "latency", ms }]);

test("fifty identical concurrent requests to two APIs make one job, one debit and one answer", async () => {
  await slowly(4000);
  const { result, cost } = await spending(() => Promise.all(fifty((index) => send(index, "fifty", json()))));
  expect(cost).toEqual(once60);
  expect(new Set(result.map(({ status, text, jobId }) => `${status} ${jobId} ${text}`)).size).toBe(1);
  expect(result[0]).toMatchObject({ status: 200, jobId: JSON.parse(result[0]?.text ?? "").id });
  // A request that joins a running job gets its answer. Only a request after the end of the job gets a replay.
  expect(result.filter(({ replayed }) => replayed !== null)).toEqual([]);
  const { result: again, cost: nothing } = await spending(() => Promise.all(fifty((i) => send(i, "fifty", json()))));
  expect(nothing).toEqual({ seconds: 0, jobs: 0, asked: 0 });
  expect(new Set(again.map(({ status, text, jobId, replayed }) => `${status} ${replayed} ${jobId} ${text}`))).toEqual(
    new Set([`200 true ${result[0]?.jobId} ${result[0]?.text}`]),
  );
});

test("fifty identical concurrent uploads make one job, and the bytes of the others are deleted", async () => {
  await slowly();
  const forms = await Promise.all(fifty((index) => form(`${index}.mp4`)));
  const { result, cost } = await spending(() => Promise.all(forms.map((body, index) => send(index, "uploads", body))));
  expect(cost).toEqual(once60);
  expect(new Set(result.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(result[0]?.status).toBe(200);
  await untilNothingIsLeft(service);
});

test("two different requests with one key, each sent 25 times at once: one makes a job, the other is a mismatch", async () => {
  await slowly();
  const { result, cost } = await spending(() =>
    Promise.all(fifty((index) => send(index, "mixed", index < 25 ? json() : json("other")))),
  );
  expect(cost).toEqual(once60);
  const [done, refused] = [200, 409].map((of) => result.filter(({ status }) => status === of));
  expect([done?.length, refused?.length]).toEqual([25, 25]);
  expect(new Set(done?.map(({ text }) => text)).size).toBe(1);
  expect(refused?.every(({ text }) => JSON.parse(text).error.code === "idempotency_mismatch")).toBe(true);
});

test("requests that arrive while the job fails get its error or one new job, never a second one", async () => {
  await service.emulator.setFaults([{ on: "generate", kind: "violate-schema", times: 3 }]);
  const { result, cost } = await spending(async () => {
    const first = fifty((index) => send(index, "failing", json("fails first")));
    await Promise.race(first);
    const later = fifty((index) => send(index, "failing", json("fails first")));
    return { first: await Promise.all(first), later: await Promise.all(later) };
  });
  expect(cost).toEqual({ seconds: 60, jobs: 2, asked: 4 });
  expect(result.first.map(({ status }) => status)).toContain(422);
  expect(new Set(result.later.map(({ status }) => status))).toEqual(new Set([200]));
  const ids = [...result.first, ...result.later].map(({ jobId }) => jobId);
  expect(new Set(ids).size).toBe(2);
});

test("callers that joined a job get its answer when the first caller disconnects", async () => {
  await slowly();
  const { result, cost } = await spending(async () => {
    const gone = new AbortController();
    const lost = send(0, "left", json("left"), gone.signal);
    const asked = (await spent()).asked;
    await service.emulator.waitFor({ "requests.generate": asked + 1 });
    const joined = fifty((index) => send(index, "left", json("left")));
    gone.abort();
    await expect(lost).rejects.toThrow();
    return Promise.all(joined);
  });
  expect(cost).toEqual(once60);
  expect(new Set(result.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(result[0]?.status).toBe(200);
});

test("while Redis is unavailable each API enforces the limits alone, without delay; before and after, they count together", async () => {
  const other = await service.newKey();
  const read = async (api: number, by = service.apiKey) => {
    const response = await fetch(`${service.apiUrls[api]}/v1/me`, { headers: bearer(by) });
    await response.arrayBuffer();
    const header = response.headers.get("ratelimit") ?? "";
    const left = Number(/^"read";r=(\d+);t=\d+$/.exec(header)?.[1] ?? "-1");
    return { status: response.status, left };
  };

  // An API counts alone until its connection to Redis is open.
  let before = 0;
  const together = async (by?: string) => (await read(0, by)).left - (await read(1, by)).left;
  const countTogether = async () => {
    before += 1;
    return together();
  };
  await expect.poll(countTogether, { interval: 500 }).toBe(1);

  await service.redis.kill();
  const began = performance.now();
  for (const api of [0, 1]) {
    const away = [];
    const most = readsPerMinute - before;
    for (let i = 0; i < most + 5; i += 1) away.push(await read(api));
    const allowed = Array.from({ length: most }, (_, index) => ({ status: 200, left: most - 1 - index }));
    const refused = Array.from({ length: 5 }, () => ({ status: 429, left: 0 }));
    expect(away).toEqual([...allowed, ...refused]);
  }
  // A wait of 250 ms for each request would add up to more than 16 s.
  expect(performance.now() - began).toBeLessThan(10_000);

  await service.redis.restart();
  await expect.poll(() => together(other), { interval: 500 }).toBe(1);
});

// Other tests check what an API and a worker do when they stop.
test.runIf(runsAllTests)(
  "a rolling restart of every process under load loses no request of a client that retries refused requests",
  async () => {
    // Longer than the grace period of a worker: some jobs finish in time, others are requeued.
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: -1 }]);
    const apiKey = await service.newKey(600_000);
    const load = { goesOn: true, answered: 0, retries: 0 };
    const callers = [0, 1, 0].map(async (api) => {
      const client = createClient({ apiKey, baseUrl: service.apiUrls[api] ?? "", retries: 10 });
      const onProgress = ({ stage }: { stage: string }) => {
        if (stage === "retrying") load.retries += 1;
      };
      while (load.goesOn) {
        const { data } = await client.extract({
          video: service.video,
          schema: { main_color: "red|green|blue" },
          onProgress,
        });
        expect(data).toEqual({ main_color: "red" });
        load.answered += 1;
      }
    });
    const answers = async () => {
      const before = load.answered;
      await expect.poll(() => load.answered, { timeout: 90_000 }).toBeGreaterThan(before + 4);
    };
    await answers();
    for (const part of service.parts) {
      const { ended } = part;
      part.signal("SIGTERM");
      expect([part.name, await ended]).toEqual([part.name, "code 0"]);
      await part.start();
    }
    await answers();
    load.goesOn = false;
    await Promise.all(callers);
    expect(600_000 - (await service.secondsRemaining(apiKey))).toBe(60 * load.answered);
    expect(load.retries).toBeGreaterThan(0);
    await untilNothingIsLeft(service);
  },
);

test("a job runs although its API is killed before it could enqueue it, and its key finds it", async () => {
  const api = service.parts[0];
  const { result, cost } = await spending(async () => {
    const before = (await spent()).jobs;
    process.kill(service.redis.pid, "SIGSTOP");
    const lost = send(0, "killed", await form());
    await expect.poll(async () => (await spent()).jobs).toBe(before + 1);
    api?.signal("SIGKILL");
    await expect(lost).rejects.toThrow();
    process.kill(service.redis.pid, "SIGCONT");
    return send(1, "killed", await form());
  });
  expect(result.status).toBe(200);
  expect(cost).toEqual(once60);
  await untilNothingIsLeft(service);
});
