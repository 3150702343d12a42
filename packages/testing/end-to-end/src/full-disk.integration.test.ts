import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Service, startService } from "@video-to-json/stack/service";
import { ffmpeg } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);

/** Mounts a file system of a limited size at a folder. Needs root. */
const mount = (folder: string, size: string) => run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "v2j-test", folder]);

const probe = await mkdtemp(join(tmpdir(), "v2j-full-disk-"));
const mayMount = await mount(probe, "64k").then(
  () => run("umount", [probe]).then(() => true),
  () => false,
);
await rm(probe, { recursive: true });

const disks = { storage: "", scratch: "" };
let service: Service;
let films: { host: string; close(): Promise<void> };
const videos = new Map<string, Buffer>();

beforeAll(async () => {
  if (!mayMount) return;
  for (const [name, size] of [
    ["storage", "12m"],
    ["scratch", "256k"],
  ] as const) {
    disks[name] = await mkdtemp(join(tmpdir(), `v2j-full-${name}-`));
    await mount(disks[name], size);
  }
  films = await serveFilms();
  service = await startService({
    env: {
      STORAGE_URL: pathToFileURL(disks.storage).href,
      SCRATCH_DIR: disks.scratch,
      FETCH_ALLOW_HOSTS: films.host,
    },
  });
  await makeFilms(await mkdtemp(join(tmpdir(), "v2j-films-")));
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await films?.close();
  for (const folder of Object.values(disks).filter(Boolean)) {
    await run("umount", [folder]);
    await rm(folder, { recursive: true });
  }
});

async function serveFilms(): Promise<typeof films> {
  const server = createServer((request, response) => response.end(videos.get(String(request.url)))).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  const close = async () => {
    server.close();
    await once(server, "close");
  };
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** Makes a long MP4 and a long video that must be remuxed, and takes the short one. */
async function makeFilms(folder: string): Promise<void> {
  const noise = ["-f", "lavfi", "-i", "testsrc2=size=320x240:duration=2,noise=alls=100:allf=t"];
  await ffmpeg([...noise, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "18", "long.mp4"], folder);
  await ffmpeg(["-i", "long.mp4", "-c", "copy", "long.mkv"], folder);
  for (const name of ["long.mp4", "long.mkv"]) videos.set(`/${name}`, await readFile(join(folder, name)));
  videos.set("/short.mp4", await readFile(service.video));
  await rm(folder, { recursive: true });
}

const otherProgram = "other-program";

/** Fills a disk; frees the space at the end of the block. */
async function fill(folder: string): Promise<AsyncDisposable> {
  const path = join(folder, otherProgram);
  const { bavail, bsize } = await statfs(folder);
  await writeFile(path, Buffer.alloc(bavail * bsize));
  return { [Symbol.asyncDispose]: () => rm(path) };
}

const schema = { main_color: "red|green|blue" };
const film = (name: string) => ({ video_url: `http://${films.host}/${name}`, schema });
const bytesOf = (name: string) => videos.get(`/${name}`) ?? Buffer.alloc(0);

async function expectRefused(sent: ReturnType<Service["extract"]>): Promise<void> {
  const { status, headers, body } = await sent;
  expect([status, body.error?.code]).toEqual([503, "provider_unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  const left = async () => [...(await readdir(disks.storage)), ...(await readdir(disks.scratch))];
  await expect.poll(async () => (await left()).filter((name) => name !== otherProgram)).toEqual([]);
}

const served = async (sent: ReturnType<Service["extract"]>) => expect((await sent).status).toBe(200);

test.runIf(mayMount)(
  "an upload larger than the free space of storage is refused as a transient error, and a smaller one is served",
  async () => {
    const large = Buffer.concat([await readFile(service.video), Buffer.alloc(20_000_000)]);
    const before = await service.secondsRemaining();
    await expectRefused(service.extract({ video: large }));
    expect(await service.secondsRemaining()).toBe(before);
    await served(service.extract());
  },
);

test.runIf(mayMount)(
  "while storage is full, uploads are refused and URLs are served; with free space, uploads are too",
  async () => {
    {
      await using _full = await fill(disks.storage);
      await expectRefused(service.extract());
      await served(service.extractUrl(film("short.mp4")));
    }
    await served(service.extract());
  },
);

test.runIf(mayMount)(
  "a URL's video larger than the free space of scratch ends its job at once, uncharged, and a smaller one is served",
  async () => {
    const before = await service.secondsRemaining();
    const began = performance.now();
    await expectRefused(service.extractUrl(film("long.mp4")));
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await service.secondsRemaining()).toBe(before);
    await served(service.extractUrl(film("short.mp4")));
  },
);

test.runIf(mayMount)(
  "an upload whose copy for the model does not fit into scratch ends its job at once; one without a copy is served",
  async () => {
    await expectRefused(service.extract({ video: bytesOf("long.mkv") }));
    await served(service.extract({ video: bytesOf("long.mp4") }));
  },
);

test.runIf(mayMount)(
  "while scratch is full, jobs end with a transient error; with free space, they succeed",
  async () => {
    {
      await using _full = await fill(disks.scratch);
      await expectRefused(service.extractUrl(film("short.mp4")));
      await expectRefused(service.extract());
    }
    await served(service.extract());
  },
);
