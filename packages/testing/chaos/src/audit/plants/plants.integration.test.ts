import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeStackData, stackDirectories } from "@video-to-json/stack";
import { runsAllTests } from "@video-to-json/testing";
import { canStartS3, removeOnExit } from "@video-to-json/testing/running";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Issued, newAccount } from "../../load/accounts.ts";
import type { Call, EntryPoint } from "../../load/call.ts";
import { makeCall } from "../../load/make-call.ts";
import { mcpVersions } from "../../load/mcp-message.ts";
import { shapes } from "../../load/shapes.ts";
import { randomFrom } from "../../random.ts";
import { findLogFaults, gatherEvidence } from "../../run/gather-evidence.ts";
import { openWorld, type World } from "../../run/open-world.ts";
import { responseMs } from "../../run/settings.ts";
import { waitUntilQuiet } from "../../run/wait-until-quiet.ts";
import { watchFences } from "../../run/watch-fences.ts";
import { audit } from "../audit.ts";
import type { Evidence } from "../evidence.ts";
import { findLeftovers } from "../findings/find-leftovers.ts";
import { readRecordsIn } from "../records/read-records.ts";
import { jobsToPlantIn } from "./jobs-to-plant-in.ts";
import type { Place } from "./plant.ts";
import { plants } from "./plants.ts";

const signal = new AbortController().signal;
const onStatus = () => {};
const storage = canStartS3 ? "s3" : "directory";
const opened = new AsyncDisposableStack();
let world: World;
let evidence: Evidence;

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "v2j-plants-"));
  const isRemoved = removeOnExit(stackDirectories(dataDir));
  opened.defer(async () => {
    await removeStackData(dataDir);
    isRemoved();
  });
  world = await openWorld({ dataDir, apis: 1, workers: 1, storage, signal, onStatus }, opened);
  evidence = await finishedRun(world);
});

afterAll(() => opened.disposeAsync());

test.runIf(runsAllTests)("a run without faults passes the audit", () => {
  expect(audit(evidence)).toEqual([]);
});

test.runIf(runsAllTests).for(plants.filter(({ name }) => canStartS3 || !name.endsWith("-in-bucket")))(
  "the audit finds the planted violation $name",
  async ({ breaks, says, plantIn }) => {
    const found = { rule: breaks, what: expect.stringMatching(says) };
    expect(audit(evidence)).not.toContainEqual(found);
    expect(await violationsWith(plantIn)).toContainEqual(found);
  },
);

/**
 * Calls with and without a key at every entry point: calls that succeed, one that fails after its probe, and some that
 * share a job.
 */
async function finishedRun({ db, dataDir, stack, emulator, s3, files, videos }: World): Promise<Evidence> {
  const issued: Issued = { granted: new Map(), issuedKeys: new Map() };
  const rich = await newAccount(db, issued, "rich@example.com", 900);
  const poor = await newAccount(db, issued, "poor@example.com", 60);
  const fences = watchFences(db);
  const callOf = (marker: string, entryPoint: EntryPoint, change: Partial<Call> = {}): Call => {
    const [video] = videos;
    const [shape] = shapes;
    if (!video || !shape) throw new Error("There are no videos or schemas.");
    const urlPath = `/${(change.video ?? video).name}`;
    return {
      marker,
      account: rich,
      entryPoint,
      video,
      urlPath,
      shape,
      idempotencyKey: undefined,
      attempts: [],
      ...change,
    };
  };
  const long = videos.at(-1);
  const calls = [
    ...shapes.map((shape) => callOf(`upload of ${shape.name}`, "upload", { shape, idempotencyKey: shape.name })),
    callOf("too long", "url", { account: poor, idempotencyKey: "poor", ...(long ? { video: long } : {}) }),
    callOf("url", "url", { extras: ["extract-evidence"] }),
    ...shapes.map((shape) => callOf(`evidence of ${shape.name}`, "upload", { shape, extras: ["extract-evidence"] })),
    callOf("mcp", "mcp", { mcpVersions }),
  ];
  const sending = { apiUrls: stack.apiUrls, filesUrl: files.url, timeoutMs: responseMs, signal, stopping: signal };
  const requests = calls.flatMap((call) => (call.mcpVersions ?? [undefined]).map((version) => ({ call, version })));
  const make = ({ call, version }: (typeof requests)[number]) =>
    makeCall(sending, call, randomFrom(1), { drop: undefined, version });
  await Promise.all(requests.map(make));
  const { redisUrl } = stack;
  await waitUntilQuiet({ db, dataDir, redisUrl, emulator, s3, workers: 1, maxMs: 60_000, signal, onStatus });
  await fences.stop();
  return gatherEvidence(world, { calls, issued, outages: [], readings: [], fencesSeen: fences.fences });
}

/** Returns the violations that the audit finds after a plant. Rolls back the changes of the database. */
async function violationsWith(plantIn: (place: Place) => Promise<void>) {
  const { db, dataDir, stack, emulator, s3 } = world;
  const { redisUrl } = stack;
  const calls = evidence.calls.map((call) => ({ ...call }));
  const ids = jobsToPlantIn(calls, evidence.records);
  const rollback = new Error("rolled back");
  let records = evidence.records;
  await db
    .transaction(async (tx) => {
      await plantIn({ db: tx, dataDir, redisUrl, s3, calls, ...ids });
      records = await readRecordsIn(tx);
      throw rollback;
    })
    .catch((error) => {
      if (error !== rollback) throw error;
    });
  const left = await findLeftovers({ dataDir, redisUrl, emulator, s3 });
  return audit({ ...evidence, calls, records, left, logFaults: await findLogFaults(world, []) });
}
