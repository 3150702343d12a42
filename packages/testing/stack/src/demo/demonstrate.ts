import { mkdirSync, mkdtempSync, openAsBlob } from "node:fs";
import { join } from "node:path";
import type { JobProgress } from "@video-to-json/contract";
import {
  type Environment,
  findCommand,
  removeOnExit,
  repositoryRoot,
  type VideoTruth,
} from "@video-to-json/testing/running";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { curlLine } from "../show/show-stack.ts";
import { keepStack, removeStackData, stackDirectories } from "../stack/kept-stack.ts";
import type { Stack } from "../stack/stack.ts";
import { startStack } from "../stack/start-stack.ts";
import { interruption } from "./interruption.ts";
import { findErrors, makeSample, sketch } from "./sample.ts";

const local = join(repositoryRoot, ".local");
const parts = { apis: 1, workers: 2 };

/** Returns the exit code: 1 when the answer is wrong, 130 when interrupted. `keep` leaves processes and files. */
export async function demonstrate({ keep, env }: { keep: boolean; env: Environment }): Promise<number> {
  mkdirSync(local, { recursive: true });
  const dataDir = keep ? join(local, "stack") : mkdtempSync(join(local, "demo-"));
  const isRemoved = keep ? () => {} : removeOnExit(stackDirectories(dataDir));
  const { signal, interrupted, stopListening } = interruption();

  console.error("Starting Postgres, Redis, an API and two workers …");
  const starting: Promise<Running> = keep
    ? keepStack({ ...parts, dataDir, env }).then(({ record }) => record.stack)
    : startStack({ ...parts, dataDir, env: withShortGrace(env), detached: false });
  starting.catch(() => {});
  try {
    const sample = join(dataDir, "sample.mp4");
    const [stack, truth] = await Promise.race([Promise.all([starting, makeSample(sample)]), interrupted]);
    return await Promise.race([extract({ stack, sample, truth, keep, signal }), interrupted]);
  } catch (error) {
    if (signal.aborted) return 130;
    throw error;
  } finally {
    const stack = await starting.catch(() => undefined);
    if (!keep) {
      await stack?.stop?.();
      await removeStackData(dataDir);
      isRemoved();
    }
    stopListening();
  }
}

/** A stack that runs. One that is kept has no `stop`. */
type Running = Pick<Stack, "baseUrl" | "apiKey" | "emulatorUrl"> & { stop?: Stack["stop"] };
type Run = { stack: Running; sample: string; truth: VideoTruth; keep: boolean; signal: AbortSignal };

async function extract({ stack, sample, truth, keep, signal }: Run): Promise<number> {
  const { baseUrl, apiKey, emulatorUrl } = stack;
  console.error(`The service runs at ${baseUrl}. The provider is ${emulatorUrl ? "the local emulator" : "Gemini"}.`);
  const before = await balanceOf(stack);
  const form = new FormData();
  form.append("schema", JSON.stringify(sketch));
  form.append("video", await openAsBlob(sample), "sample.mp4");
  console.error("Sending a video, and waiting for the answer …");
  const headers = { authorization: `Bearer ${apiKey}`, accept: "text/event-stream" };
  const response = await fetch(`${baseUrl}/v1/extract`, { method: "POST", headers, body: form, signal });
  const answer = response.ok ? await followEvents(response) : { error: await response.json() };
  console.log(JSON.stringify(answer.result ?? answer.error, null, 2));
  console.error(`\nBalance before ${before}, after ${await balanceOf(stack)}.`);
  console.error(
    `\nThe same call with curl${keep ? "" : " (while ./scripts/stack up runs, with its address and key)"}:\n`,
  );
  console.error(curlLine(stack, keep ? sample : "video.mp4", JSON.stringify(sketch)));
  if (keep) console.error("\nThe service is still running. ./scripts/stack down stops it.");
  if (!answer.result) return 1;
  const faults = emulatorUrl ? findErrors(answer.result.data, truth, Boolean(findCommand("tesseract"))) : [];
  for (const fault of faults) console.error(`Wrong: ${fault}.`);
  return faults.length > 0 ? 1 : 0;
}

/** The last event of a held call (docs/decisions/0001, "Held calls"). */
type Answer = { result?: { data: unknown }; error?: unknown };

/** Prints each stage of the job. Returns its answer. Throws if the connection ends before it. */
async function followEvents({ body }: Response): Promise<Answer> {
  if (!body) throw new Error("The response has no body.");
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { event, data } of events) {
    if (event === "progress") console.error(`  ${(JSON.parse(data) as JobProgress).stage} …`);
    if (event === "result" || event === "error") return { [event]: JSON.parse(data) };
  }
  throw new Error("The service closed the connection before its answer.");
}

// After Ctrl-C, the answer of a running job is not needed.
function withShortGrace(env: Environment): Environment {
  return { SHUTDOWN_GRACE_SECONDS: "2", ...env };
}

async function balanceOf({ baseUrl, apiKey }: Running): Promise<string> {
  const response = await fetch(`${baseUrl}/v1/me`, { headers: { authorization: `Bearer ${apiKey}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET /v1/me answers ${response.status}: ${text}`);
  const { minutes_remaining } = JSON.parse(text) as { minutes_remaining: number };
  return `${Number(minutes_remaining.toFixed(2))} min`;
}
