import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Service, startService } from "@video-to-json/stack/service";
import { ffmpeg, serveLocally, type WebServer } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect } from "./service-facts.ts";

const run = promisify(execFile);
const opened = new AsyncDisposableStack();
const videos = new Map<string, Buffer>();
let disks: Record<"storage" | "scratch", Disk>;
let service: Service;
let films: WebServer;

beforeAll(async () => {
  disks = { storage: await makeDisk("12m"), scratch: await makeDisk("256k") };
  films = opened.use(await serveLocally((request, response) => response.end(videos.get(String(request.url)))));
  const { storage, scratch } = disks;
  const env = { STORAGE_URL: pathToFileURL(storage.folder).href, SCRATCH_DIR: scratch.folder };
  service = opened.use(await startService({ env: { ...env, FETCH_ALLOW_HOSTS: films.host } }));
});
afterAll(() => opened.disposeAsync());

type Disk = { root: string; folder: string; isMounted: boolean };

/** Makes a folder of a new file system of a limited size. Without root, it is a folder of the usual file system. */
async function makeDisk(size: string): Promise<Disk> {
  const root = await mkdtemp(join(tmpdir(), "v2j-disk-"));
  opened.defer(() => rm(root, { recursive: true }));
  const isMounted = await run("mount", ["-t", "tmpfs", "-o", `size=${size}`, "v2j-test", root]).then(
    () => true,
    () => false,
  );
  if (isMounted) opened.defer(() => run("umount", [root]).then(() => {}));
  return { root, folder: join(root, "files"), isMounted };
}

async function replace({ folder }: Disk): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true });
  await rename(folder, `${folder}.away`);
  // A worker may make the folder anew before the file is there.
  while (!(await isWritten(folder))) await rm(folder, { recursive: true, force: true });
  return {
    async [Symbol.asyncDispose]() {
      await rm(folder);
      await rename(`${folder}.away`, folder);
    },
  };
}

const isWritten = (path: string) =>
  writeFile(path, "").then(
    () => true,
    () => false,
  );

async function fill({ root }: Disk): Promise<AsyncDisposable> {
  const path = join(root, "other-program");
  const { bavail, bsize } = await statfs(root);
  await writeFile(path, Buffer.alloc(bavail * bsize));
  return { [Symbol.asyncDispose]: () => rm(path) };
}

const served = async (sent: ReturnType<Service["extract"]>) => expect((await sent).status).toBe(200);

async function expectRefused(sent: ReturnType<Service["extract"]>): Promise<void> {
  const { status, headers, body } = await sent;
  expect([status, body.error?.code]).toEqual([503, "provider_unavailable"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
}

test("while a file replaces the storage directory, uploads get a transient error; afterwards they succeed", async () => {
  {
    await using _replaced = await replace(disks.storage);
    await expectRefused(service.extract());
  }
  await served(service.extract());
});

test("while a file replaces its scratch directory, a worker says so and takes no jobs; afterwards they succeed", async () => {
  const replaced = await replace(disks.scratch);
  const waiting = service.extract();
  await untilSick();
  await replaced[Symbol.asyncDispose]();
  await served(waiting);
});

async function untilSick(): Promise<void> {
  const readyUrl = String(service.processOf("worker-1").readyUrl);
  await expect.poll(async () => (await fetch(readyUrl)).text()).toContain("scratch at ");
}

describe("on a full disk", () => {
  beforeAll(async () => {
    if (disks.scratch.isMounted) await makeFilms();
  });
  beforeEach(({ skip }) => skip(!disks.scratch.isMounted, "only root may mount a small file system"));

  async function makeFilms(): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "v2j-films-"));
    const noise = ["-f", "lavfi", "-i", "testsrc2=size=320x240:duration=2,noise=alls=100:allf=t"];
    await ffmpeg([...noise, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "18", "long.mp4"], folder);
    await ffmpeg(["-i", "long.mp4", "-c", "copy", "long.mkv"], folder);
    for (const name of ["long.mp4", "long.mkv"]) videos.set(`/${name}`, await readFile(join(folder, name)));
    videos.set("/short.mp4", await readFile(service.video));
    videos.set("/large.mp4", Buffer.concat([await readFile(service.video), Buffer.alloc(20_000_000)]));
    await rm(folder, { recursive: true });
  }
  const film = (name: string) =>
    service.extractUrl({ video_url: `${films.url}/${name}`, schema: { main_color: "red|green|blue" } });
  const upload = (name: string) => service.extract({ video: videos.get(`/${name}`) ?? Buffer.alloc(0) });

  async function expectRefusedWithoutLeftovers(sent: ReturnType<Service["extract"]>): Promise<void> {
    await expectRefused(sent);
    const left = async () => [...(await readdir(disks.storage.folder)), ...(await readdir(disks.scratch.folder))];
    await expect.poll(left).toEqual([]);
  }

  test("an upload larger than the free space of storage is refused as a transient error, and a smaller one is served", async () => {
    const large = Buffer.concat([await readFile(service.video), Buffer.alloc(20_000_000)]);
    const before = await service.secondsRemaining();
    await expectRefusedWithoutLeftovers(service.extract({ video: large }));
    expect(await service.secondsRemaining()).toBe(before);
    await served(service.extract());
  });

  test("while storage is full, uploads and URLs are refused; with free space, both are served", async () => {
    {
      await using _full = await fill(disks.storage);
      await expectRefusedWithoutLeftovers(service.extract());
      await expectRefused(film("short.mp4"));
    }
    await served(service.extract());
    await served(film("short.mp4"));
  });

  test("a URL's video larger than the free space of storage ends its job at once, uncharged, and a smaller one is served", async () => {
    const before = await service.secondsRemaining();
    const began = performance.now();
    await expectRefusedWithoutLeftovers(film("large.mp4"));
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(await service.secondsRemaining()).toBe(before);
    await served(film("short.mp4"));
  });

  test("an upload whose copy for the model does not fit into scratch ends its job at once; one without a copy is served", async () => {
    await expectRefusedWithoutLeftovers(upload("long.mkv"));
    await served(upload("long.mp4"));
  });

  test("while scratch is full, a worker says so and takes no jobs; with free space, they succeed", async () => {
    const before = await service.secondsRemaining();
    const full = await fill(disks.scratch);
    // A job that it took before would end at the full disk.
    await untilSick();
    const calls = [film("short.mp4"), service.extract()];
    const sql = connect(service.database.url);
    await expect.poll(() => sql`select from jobs where status = 'queued'`).toHaveLength(2);
    await full[Symbol.asyncDispose]();
    for (const call of calls) await served(call);
    expect(await service.secondsRemaining()).toBe(before - 120);
  });
});
