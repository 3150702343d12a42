import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type EmulatorState,
  emulatorControl,
  exchangeOf,
  makeVideo,
  readContract,
  runAdmin,
  type VideoTruth,
} from "@video-to-json/testing";
import type { Stack } from "../stack/stack.ts";
import { createKey } from "../stack/stack-account.ts";

/** The facts of a service that runs: what another process needs to use it. */
export type ServiceFacts = Omit<Stack, "parts" | "postgres" | "redis" | "stop" | "emulatorUrl"> & {
  emulatorUrl: string;
  /** The directory of its files and of its logs. */
  dataDir: string;
  /** The settings that its commands get: its servers. */
  settings: Record<string, string>;
  clip: TestVideo;
};

/** The response to an extraction. */
export type Extraction = {
  status: number;
  headers: Headers;
  text: string;
  body: {
    id: string;
    data: unknown;
    video: { duration_seconds: number };
    billed_seconds: number;
    error: { code: string; message: string; details?: string[] };
  };
};

/** Opens a service that runs for tests. Each response is checked against the interface description. */
export async function openService(facts: ServiceFacts) {
  const { baseUrl, apiKey, settings, dataDir } = facts;
  const emulator = { url: facts.emulatorUrl, ...emulatorControl(facts.emulatorUrl) };
  const { path: video, truth } = facts.clip;
  const clip = await readFile(video);
  const contract = await readContract(baseUrl);
  const checked = async (sent: Promise<Response>, method: "GET" | "POST"): Promise<Omit<Extraction, "body">> => {
    const response = await sent;
    const exchange = await exchangeOf(response, method);
    const faults = contract.faultsOf(exchange);
    if (faults.length > 0)
      throw new Error(`The response differs from the interface description:\n${faults.join("\n")}`);
    return { status: exchange.status, headers: response.headers, text: exchange.body };
  };
  const post = async (body: FormData | string, headers: Record<string, string>, signal?: AbortSignal) => {
    const all = { ...authorization(apiKey), ...headers };
    const sent = fetch(`${baseUrl}/v1/extract`, { method: "POST", headers: all, body, signal: signal ?? null });
    const answer = await checked(sent, "POST");
    return { ...answer, body: JSON.parse(answer.text) } as Extraction;
  };
  const get = (path: string, key: string) => checked(fetch(baseUrl + path, { headers: authorization(key) }), "GET");

  return {
    ...facts,
    emulator,
    video,
    truth,
    contract,
    extract: (fields: Partial<Fields> = {}, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      post(form({ schema: '{"main_color":"red|green|blue"}', video: clip, ...fields }), headers, signal),
    videoOf: async (seconds: number) => {
      const path = join(dataDir, `${seconds}.mp4`);
      await makeVideo({ scenes: [{ seconds, color: "red" }] }, path);
      return readFile(path);
    },
    extractUrl: (body: object, headers: Record<string, string> = {}) =>
      post(JSON.stringify(body), { "content-type": "application/json", ...headers }),
    read: (path: string, key = apiKey) => get(path, key),
    secondsRemaining: async (key = apiKey) => {
      const { text } = await get("/v1/me", key);
      return (JSON.parse(text) as { seconds_remaining: number }).seconds_remaining;
    },
    /** Creates another account with free seconds. Returns a key of it. */
    newKey: (freeSeconds = 1800) => createKey({ ...settings, FREE_SECONDS: String(freeSeconds) }),
    admin: (...args: string[]) => runAdmin(args, settings),
    /** Returns the leftovers of jobs: the names in storage and scratch, and the copies at the emulator. */
    leftBehind: () => leftBehind(dataDir, emulator),
    processOf: (name: string) => {
      const found = facts.processes.find((process) => process.name === name);
      if (!found) throw new Error(`The stack has no process ${name}.`);
      return found;
    },
  };
}

/** A service that runs for tests. */
export type OpenService = Awaited<ReturnType<typeof openService>>;

type Fields = { schema: string; video: Uint8Array; instructions: string; video_url: string; detail: string };

function form(fields: Partial<Fields>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    made.append(name, typeof value === "string" ? value : new File([new Uint8Array(value)], "clip.mp4"));
  }
  return made;
}

function authorization(key: string) {
  return { authorization: `Bearer ${key}` };
}

async function leftBehind(dataDir: string, emulator: { state(): Promise<EmulatorState> }): Promise<string[]> {
  const names = async (place: string) => (await readdir(join(dataDir, place))).map((name) => `${place}/${name}`);
  const { files, openUploads } = await emulator.state();
  const remote = files || openUploads ? [`${files} files and ${openUploads} uploads at the emulator`] : [];
  // A worker that is killed while it tests its disk leaves that file for two minutes.
  const scratch = (await names("scratch")).filter((name) => !name.startsWith("scratch/test-"));
  return [...(await names("storage")), ...scratch, ...remote];
}

/** Resolves when jobs have left nothing. A sweep removes the files of a killed process within half a minute. */
export async function untilNothingIsLeft({ leftBehind }: Pick<OpenService, "leftBehind">): Promise<void> {
  const until = Date.now() + 90_000;
  for (;;) {
    const left = await leftBehind();
    if (left.length === 0) return;
    if (Date.now() > until) throw new Error(`Jobs left ${left.join(", ")}.`);
    await sleep(250);
  }
}

/** A video that was made, and its facts. */
export type TestVideo = { path: string; truth: VideoTruth };

const scenes = [
  { seconds: 2, color: "red", sound: "tone" },
  { seconds: 2, color: "red" },
  { seconds: 1, color: "blue" },
] as const;

/** Makes the short video that tests send. */
export async function makeTestVideo(path: string): Promise<TestVideo> {
  return { path, truth: await makeVideo({ scenes }, path) };
}
