import { setTimeout as sleep } from "node:timers/promises";
import type { Benchmark, Run } from "../benchmark.ts";
import { createCaller } from "../calls.ts";
import { figure, type Measurement } from "../figure.ts";
import { processorTime, residentBytes } from "../processes.ts";
import { forkScript } from "../script.ts";
import { startService } from "../service.ts";
import { summary } from "../times.ts";

/** Thousands of requests that one API holds, while another account reads its balance. */
export const held: Benchmark = {
  name: "held",
  title: "Held requests",
  how: "5,000 requests of 1,000 accounts that arrive within three seconds and are held, and GET /v1/me of another account meanwhile",
  measure: measureHeld,
};

const requestsPerAccount = 5;
const arrivalMs = 3_000;
/** How long some traffic continues before the memory is read, because V8 collects garbage of an idle process late. */
const holdMs = 10_000;
const goals = { admittedSeconds: 15, meP99: 250, peakKb: 60, heldKb: 40 } as const;
const video_url = "http://127.0.0.1:9/clip.mp4";

/**
 * Sends requests of many accounts to one API within three seconds, each account with a small sketch of its own and the
 * address of a video, while another account reads its balance. There is no worker, so that the API is measured alone and
 * no job ever starts.
 */
async function measureHeld(run: Run): Promise<Measurement> {
  const { tell } = run;
  const requests = run.quick ? 200 : 5000;
  tell("Starting Postgres, Redis and an API …");
  const settings = { FETCH_ALLOW_HOSTS: "127.0.0.1:9", JOB_TIMEOUT_SECONDS: "45" };
  await using service = await startService(run, { settings });
  const pid = service.pidOf("api-1");
  const accounts = requests / requestsPerAccount;
  tell(`Opening ${accounts.toLocaleString("en")} accounts …`);
  const opened = await Promise.all(Array.from({ length: accounts }, () => service.openAccount()));
  const keys = opened.map(({ key }) => key);
  using caller = createCaller(service);
  // A lost connection counts as an answer with status 0.
  const send = async (key: string, body: object): Promise<string> => {
    const { status, text } = await caller.send({ body }, key).catch((error) => ({ status: 0, text: String(error) }));
    return `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 100)}`;
  };
  // The first requests load and compile code.
  for (const key of keys.slice(0, 20)) await send(key, { schema: { a: "string" } });
  using bystander = forkScript<{ ms: number }, number[]>(new URL("./bystander.ts", import.meta.url), [
    ...[service.baseUrl, service.apiKey],
  ]);
  const quiet = summary(await bystander.run({ ms: 3_000 }));
  const before = { bytes: residentBytes(pid).now, cpuSeconds: processorTime(pid).own };

  tell(`Sending ${requests.toLocaleString("en")} requests …`);
  const startedAt = performance.now();
  const sending = async () => {
    const answers: Promise<string>[] = [];
    for (let sent = 0; sent < requests; sent++) {
      const due = startedAt + (sent * arrivalMs) / requests;
      if (performance.now() < due) await sleep(due - performance.now());
      const account = sent % keys.length;
      const schema = { [`title${account}`]: "string", scenes: [{ at: "timestamp", what: "string" }] };
      answers.push(send(keys[account] ?? "", { schema, video_url, instructions: `number ${sent}` }));
    }
    return answers;
  };
  const sent = sending();
  // If not all are admitted within a minute, the figure is not measured.
  let admittedSeconds = Number.NaN;
  const times: number[] = [];
  while (Number.isNaN(admittedSeconds) && performance.now() - startedAt < 60_000) {
    times.push(...(await bystander.run({ ms: 500 })));
    const [row] = await service.db.execute("select count(*) as jobs from jobs");
    if (Number(row?.jobs) >= requests) admittedSeconds = (performance.now() - startedAt) / 1000;
  }
  const meanwhile = summary(times);
  const { peak } = residentBytes(pid);
  const cpuSeconds = processorTime(pid).own - before.cpuSeconds;
  await bystander.run({ ms: holdMs });
  const { now } = residentBytes(pid);

  tell("Waiting for the deadline …");
  const ends = Map.groupBy(await Promise.all(await sent), (end) => end);
  const ended = [...ends].map(([end, all]) => `${all.length.toLocaleString("en")} × ${end}`);
  const kilobytes = (bytes: number) => (bytes - before.bytes) / requests / 1000;
  return {
    figures: [
      figure("memory a held request", "kB", kilobytes(now), { most: goals.heldKb }),
      figure("memory a request at most, while they arrive", "kB", kilobytes(peak), { most: goals.peakKb }),
      figure("GET /v1/me of another account, p99", "ms", meanwhile.p99, {
        beside: ["before", quiet.p99],
        most: goals.meP99,
      }),
      figure("GET /v1/me of another account, p50", "ms", meanwhile.p50, { beside: ["before", quiet.p50] }),
      figure("last request admitted after", "s", admittedSeconds, { most: goals.admittedSeconds }),
      figure("processor time of the API a request", "CPU ms", (1000 * cpuSeconds) / requests),
    ],
    conditions: [
      "1 API, no worker",
      `${requests.toLocaleString("en")} requests`,
      `they end at the deadline: ${ended.join(", ")}`,
    ],
  };
}
