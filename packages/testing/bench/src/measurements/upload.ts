import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startS3Server } from "@video-to-json/testing/running";
import type { Benchmark, Run } from "../benchmark.ts";
import { type Figure, figure } from "../figure.ts";
import { forgetPeak, processorTime, residentBytes } from "../processes.ts";
import { forkScript } from "../script.ts";
import { type Service, startService } from "../service.ts";
import { timed } from "../times.ts";

/** Uploads into the directory of the API, compared with a server that only pipes the same bytes to a file. */
export const upload: Benchmark = {
  name: "upload",
  title: "Upload",
  how: "uploads of 512 MiB into a directory, one and eight at once, in turns with a bare server that pipes the same bytes to a file",
  async measure(run) {
    const megabytes = run.quick ? 4 : 512;
    requireSpace(run.dataDir, 8 * megabytes);
    run.tell("Starting Postgres, Redis, an API and a bare server …");
    await using service = await startService(run, {});
    using bare = await startBareServer(run);
    const figures = await measureUploads(run, { service, bare, megabytes, rounds: 3, toFile: true });
    return { figures, conditions: [`${megabytes} MiB each`, "the best of 3 rounds"] };
  },
};

/** Uploads into a bucket, compared with a server that only sends the same bytes to the same bucket. */
export const uploadS3: Benchmark = {
  name: "upload-s3",
  title: "Upload to S3",
  how: "uploads into a bucket of a local S3 server, one and eight at once, in turns with a bare server that sends the same bytes to it in parts",
  async measure(run) {
    const megabytes = run.quick ? 4 : 64;
    const rounds = run.quick ? 1 : 2;
    // Everything is uploaded twice, and the bucket is deleted at the end.
    requireSpace(run.dataDir, 2 * (rounds + 1) * 9 * megabytes);
    run.tell("Starting an S3 server, Postgres, Redis, an API and a bare server …");
    await using s3 = await startS3Server({ directory: join(run.dataDir, "s3"), logFile: join(run.dataDir, "s3.log") });
    const STORAGE_URL = `s3://${s3.bucket}/uploads?endpoint=${s3.endpoint}`;
    await using service = await startService({ ...run, env: { ...run.env, ...s3.env, STORAGE_URL } }, {});
    using bare = await startBareServer(run, [s3.endpoint, s3.bucket], s3.env);
    const figures = await measureUploads(run, { service, bare, megabytes, rounds, toFile: false });
    const conditions = [`${megabytes} MiB each`, `the best of ${rounds} rounds`, "the S3 interface of OpenStack Swift"];
    return { figures, conditions };
  },
};

const goals = { ratio: 0.8, peakMb: 200 } as const;

type Uploads = { service: Service; bare: BareServer; megabytes: number; rounds: number; toFile: boolean };

/** The speed in megabytes (10⁶ bytes) per second, and the processor time of the server in seconds per 10⁹ bytes. */
type Best = { speed: number; cpuSeconds: number; peakMb: number };

/**
 * Uploads forms to an API, and the same bytes to a bare server on the same disk, in turns. A bare server with files also
 * gets them again, and then hashes and flushes them, which is the minimum cost of an upload. An upload to the API ends when
 * its job is admitted, because then the video is stored. There is no worker. The figures are those of the best round,
 * because other load of the machine only adds time.
 */
async function measureUploads({ tell }: Run, { service, bare, megabytes, rounds, toFile }: Uploads): Promise<Figure[]> {
  const targets = {
    api: (forms: Forms) => uploadToApi(service, forms),
    bare: (forms: Forms) => uploadToBare(bare, "/", forms),
    whole: (forms: Forms) => uploadToBare(bare, "/whole", forms),
  };
  const turns = toFile ? (["api", "bare", "whole"] as const) : (["bare", "api"] as const);
  // The first uploads load and compile code.
  for (const who of turns) await targets[who]({ megabytes: 16, together: toFile ? 8 : 1 });
  const figures: Figure[] = [];
  for (const together of [1, 8]) {
    tell(`Uploading ${together} × ${megabytes} MiB at once …`);
    const gigabytes = (together * megabytes * 1024 ** 2) / 1e9;
    const none = (): Best => ({ speed: 0, cpuSeconds: Number.POSITIVE_INFINITY, peakMb: 0 });
    const best = { api: none(), bare: none(), whole: none() };
    for (let round = 0; round < rounds; round++) {
      for (const who of turns) {
        const { ms, cpuSeconds, peakBytes } = await targets[who]({ megabytes, together });
        best[who].speed = Math.max(best[who].speed, (1e6 * gigabytes) / ms);
        best[who].cpuSeconds = Math.min(best[who].cpuSeconds, cpuSeconds / gigabytes);
        best[who].peakMb = Math.max(best[who].peakMb, peakBytes / 1e6);
      }
    }
    const at = `${together} at once`;
    const speed = (what: string, who: keyof typeof best, title: string, ratio?: { least: number }) =>
      figure(what, "MB/s", best.api.speed, { beside: [title, best[who].speed], ratio });
    figures.push(speed(`speed, ${at}`, "bare", "bare server", { least: goals.ratio }));
    if (toFile) {
      const cpu = ["bare server", best.bare.cpuSeconds] as const;
      figures.push(
        speed(`speed, ${at}, beside a server that hashes and flushes too`, "whole", "hash and flush"),
        figure(`processor time for 10⁹ bytes, ${at}`, "CPU s", best.api.cpuSeconds, { beside: cpu }),
      );
    }
    figures.push(figure(`resident memory of the API at most, ${at}`, "MB", best.api.peakMb, { most: goals.peakMb }));
  }
  return figures;
}

/** Throws an error unless a directory has space for so many megabytes, and half as many more. */
function requireSpace(directory: string, megabytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const freeMegabytes = (bavail * bsize) / 1024 ** 2;
  if (freeMegabytes > 1.5 * megabytes) return;
  throw new Error(`The disk has ${Math.floor(freeMegabytes)} MiB free; ${Math.ceil(1.5 * megabytes)} are needed.`);
}

type BareServer = Awaited<ReturnType<typeof startBareServer>>;

async function startBareServer({ dataDir }: Run, bucket: string[] = [], env: Record<string, string> = {}) {
  const directory = join(dataDir, "bare");
  mkdirSync(directory);
  const script = new URL("./bare-server.ts", import.meta.url);
  const server = forkScript<object, number>(script, [directory, ...bucket], env);
  return { ...server, directory, baseUrl: `http://127.0.0.1:${await server.next()}` };
}

/** The time until forms are stored, and what the server used meanwhile. */
type Cost = { ms: number; cpuSeconds: number; peakBytes: number };

async function uploadToBare({ baseUrl, pid, directory }: BareServer, path: string, forms: Forms): Promise<Cost> {
  const cost = await costOf(pid, async () => {
    const { statuses } = sendForms(new URL(path, baseUrl), "", forms);
    const wrong = (await statuses).filter((status) => !status.includes(" 200 "));
    if (wrong.length > 0) throw new Error(`The bare server answers ${wrong}.`);
  });
  empty(directory);
  return cost;
}

async function uploadToApi(service: Service, forms: Forms): Promise<Cost> {
  const { baseUrl, apiKey, db, storageDir, pidOf } = service;
  const count = async () => Number((await db.execute("select count(*) as jobs from jobs"))[0]?.jobs);
  const before = await count();
  const { sockets, statuses } = sendForms(new URL("/v1/extract", baseUrl), apiKey, forms);
  const answered = statuses.then((all) => Promise.reject(new Error(`The API answers ${all}.`)));
  answered.catch(() => {});
  const cost = await costOf(pidOf("api-1"), async () => {
    while ((await count()) < before + forms.together) await Promise.race([sleep(5), answered]);
  });
  for (const socket of sockets) socket.destroy();
  empty(storageDir);
  return cost;
}

async function costOf(pid: number, work: () => Promise<void>): Promise<Cost> {
  forgetPeak(pid);
  const before = processorTime(pid).own;
  const ms = await timed(work);
  return { ms, cpuSeconds: processorTime(pid).own - before, peakBytes: residentBytes(pid).peak };
}

function empty(directory: string): void {
  for (const name of readdirSync(directory)) rmSync(join(directory, name));
}

/** Forms that are sent at once, each on its own connection. */
type Forms = { megabytes: number; together: number };

const megabyte = randomBytes(1024 ** 2);
// As long as curl's.
const boundary = `${"-".repeat(24)}0123456789abcdefghijkl`;

/** Sends forms in whole megabytes, which costs little compared with the server. Returns the status lines of the responses. */
function sendForms({ hostname, port, host, pathname }: URL, apiKey: string, { megabytes, together }: Forms) {
  const part = (name: string, more = "") =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const before = `${part("schema")}{"title":"string"}\r\n${part("video", '; filename="clip.mp4"')}`;
  const after = `\r\n--${boundary}--\r\n`;
  const length = before.length + megabytes * megabyte.length + after.length;
  const send = async (socket: Socket): Promise<string> => {
    const answered = once(socket, "data");
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n` +
        `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n${before}`,
    );
    for (let sent = 0; sent < megabytes; sent++) if (!socket.write(megabyte)) await once(socket, "drain");
    socket.write(after);
    const [head] = (await answered) as [Buffer];
    socket.destroy();
    return head.toString("latin1").split("\r\n")[0] ?? "";
  };
  const sockets = Array.from({ length: together }, () => connect({ host: hostname, port: Number(port) }));
  return { sockets, statuses: Promise.all(sockets.map(send)) };
}
