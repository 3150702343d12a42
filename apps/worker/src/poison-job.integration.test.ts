import { randomUUID } from "node:crypto";
import { chmod, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findConfinement } from "@video-to-json/media";
import { PermitLost, TicketLost } from "@video-to-json/queue";
import { ffmpegDirectory, findCommand } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { openJobPlace } from "./job-place.harness.ts";
import { createMemoryProvider, makeReadableVideo } from "./memory-provider.harness.ts";
import { runJob } from "./run-job.ts";

test("a job whose worker vanishes each time ends after five claims", async () => {
  const { place, id } = await openPlaceWithJob();
  for (let claims = 1; claims <= 5; claims++) await place.claimJob(id);
  await place.runJob(id);
  const job = await place.findJob(id);
  expect([job?.status, JSON.parse(job?.errorText ?? "{}").code]).toEqual(["failed", "internal_error"]);
});

test("a job whose run throws each time ends after five runs", async () => {
  const { place, id } = await openPlaceWithJob();
  const broken = { ...place.deps, sandbox: { forAccount: () => throws("the threads are gone") } };
  for (let runs = 1; runs <= 5; runs++) {
    const job = await place.claimJob(id);
    if (!job) throw new Error("The job ended too early.");
    await expect(runJob(broken, job, quiet())).rejects.toThrow("the threads are gone");
  }
  await place.runJob(id);
  expect((await place.findJob(id))?.status).toBe("failed");
});

test("a job gets its answer however often a worker hands it back, loses it to another worker or loses its permit", async () => {
  const { place, id } = await openPlaceWithJob();
  for (let times = 1; times <= 2; times++) {
    await expect(place.runJob(id, { signal: AbortSignal.abort(new Error("stopping")) })).rejects.toThrow();

    // The worker freezes. Another one claims the job and hands it back. Then the first one wakes up.
    const frozen = await place.claimJob(id);
    await expect(place.runJob(id, { signal: AbortSignal.abort(new Error("stopping")) })).rejects.toThrow();
    if (frozen) await runJob(place.deps, frozen, quiet());

    const permits = { take: () => Promise.reject(new PermitLost()) };
    const job = await place.claimJob(id);
    if (job) await expect(runJob({ ...place.deps, permits }, job, quiet())).rejects.toThrow(PermitLost);
  }
  await place.runJob(id);
  expect(await place.findJob(id)).toMatchObject({ status: "succeeded", fence: 9 });
});

test("a job that one worker alone has failed five times does not end", async () => {
  const { place, id } = await openPlaceWithJob();
  const worker = randomUUID().slice(0, 18);
  for (let claims = 1; claims <= 5; claims++) await place.claimJob(id, worker + randomUUID().slice(18));
  const sixth = await place.claimJob(id, worker + randomUUID().slice(18));
  expect([sixth?.failedClaims, sixth?.failedWorkers]).toEqual([5, 1]);
  if (sixth) await expect(runJob(place.deps, sixth, quiet())).rejects.toThrow("Another one has to try");
  expect((await place.findJob(id))?.status).toBe("running");
});

test("only a worker whose ffprobe measures a known video may call a video unreadable", async () => {
  const programs = await mkdtemp(join(tmpdir(), "v2j-programs-"));
  onTestFinished(() => rm(programs, { recursive: true }));
  // Programs may run as a separate user.
  await chmod(programs, 0o755);
  const real = (name: string) => (ffmpegDirectory ? join(ffmpegDirectory, name) : (findCommand(name) ?? name));
  for (const name of ["ffmpeg", "ffprobe"]) await symlink(real(name), join(programs, name));
  const confinement = await findConfinement({ programDirectory: programs });
  const place = await openJobPlace(createMemoryProvider({ answers: ['{"colour":"red"}'] }), {}, confinement);
  const id = await place.newJob(await makeReadableVideo(place.directory));
  await rename(join(programs, "ffprobe"), join(programs, "good"));
  await writeFile(join(programs, "ffprobe"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  await expect(place.runJob(id)).rejects.toThrow();
  expect(await place.findJob(id)).toMatchObject({ status: "running", openClaims: [] });
  await rename(join(programs, "good"), join(programs, "ffprobe"));
  await place.runJob(id);
  expect((await place.findJob(id))?.status).toBe("succeeded");
});

test("a job whose workers each lose its ticket ends after five claims", async () => {
  const { place, id } = await openPlaceWithJob();
  for (let claims = 1; claims <= 5; claims++) await place.runJob(id, { signal: AbortSignal.abort(new TicketLost()) });
  await place.runJob(id);
  const job = await place.findJob(id);
  expect([job?.status, JSON.parse(job?.errorText ?? "{}").code, job?.fence]).toEqual(["failed", "internal_error", 6]);
});

test("a job is handed back at once when its run is aborted, although the run continues", async () => {
  const { place, id } = await openPlaceWithJob();
  const copying = Promise.withResolvers<string>();
  const copyBegun = Promise.withResolvers<void>();
  const obtain = () => {
    copyBegun.resolve();
    return copying.promise;
  };
  const storage = { ...place.deps.storage, obtain };
  const controller = new AbortController();
  const job = await place.claimJob(id);
  if (!job) throw new Error("There is no such job.");
  const run = runJob({ ...place.deps, storage }, job, quiet(controller.signal));
  await copyBegun.promise;
  expect((await place.findJob(id))?.openClaims).toEqual([job.claim]);
  controller.abort(new Error("stopping"));
  const stopped = expect(run).rejects.toThrow("stopping");
  await expect.poll(async () => (await place.findJob(id))?.openClaims).toEqual([]);
  copying.reject(controller.signal.reason);
  await stopped;
});

function quiet(signal = new AbortController().signal) {
  return { signal, progress: () => {} };
}

function throws(message: string): never {
  throw new Error(message);
}

async function openPlaceWithJob() {
  const place = await openJobPlace(createMemoryProvider({ answers: ['{"colour":"red"}'] }));
  return { place, id: await place.newJob(await makeReadableVideo(place.directory)) };
}
