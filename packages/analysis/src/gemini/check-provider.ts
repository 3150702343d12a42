import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Problem } from "@video-to-json/contract";
import type { ProviderCheck } from "../analysis-provider.ts";
import { adviceOn } from "./access.ts";
import { looks } from "./ask.ts";
import { type CopyDeps, createProviderCopy, openInlineRoom } from "./provider-copy.ts";
import { readAnswer } from "./read-answer.ts";
import type { Sdk } from "./sdk.ts";

type CheckDeps = Omit<CopyDeps, "inline"> & {
  readonly sdk: Sdk;
  readonly models: readonly string[];
  readonly hasFiles: boolean;
  checkFiles?(signal: AbortSignal): Promise<void>;
};

const maxCheckMs = 120_000;
const videoSeconds = 2;
const uploadBytes = 100 * 1024;
/** An MP4 file of two seconds: red, then blue. */
const video = Buffer.from(
  "AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAMabW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAB9AAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAml0cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAABAAAAAAAAB9AAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAEAAAAAwAAAAAAAkZWR0cwAAABxlbHN0AAAAAAAAAAEAAAfQAAAAAAABAAAAAAHhbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAABAAAAAgABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAABWaWRlb0hhbmRsZXIAAAABjG1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAUxzdGJsAAAAwHN0c2QAAAAAAAAAAQAAALBhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAEAAMABIAAAASAAAAAAAAAABDExhdmMgbGlieDI2NAAAAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAANmF2Y0MBZAAK/+EAGWdkAAqsTCIj2AiAAAADAIAAAAMCB4kTCMABAAZo6EMPLIv9+PgAAAAAEHBhc3AAAAABAAAAAQAAABRidHJ0AAAAAAAAAbQAAAG0AAAAGHN0dHMAAAAAAAAAAQAAAAQAACAAAAAAGHN0c3MAAAAAAAAAAgAAAAEAAAADAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAAEAAAAAQAAACRzdHN6AAAAAAAAAAAAAAAEAAAAKAAAAA4AAAApAAAADgAAABRzdGNvAAAAAAAAAAEAAANKAAAAPXVkdGEAAAA1bWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAbWRpcmFwcGwAAAAAAAAAAAAAAAAIaWxzdAAAAAhmcmVlAAAAdW1kYXQAAAAkZYiCAp/+7Np+BTY91+fFNDe1lLW3K6mnpiVgBO2YIariUCutAAAACkGaHYgl//61OVgAAAAlZYiBAK///uzPfgU3IDyL9ZQIdLVudeOY06aFdOh0hhIVsUAuNwAAAApBmh2IJf/+tTlY",
  "base64",
);

/** A box that players skip makes the file as large as a small video. */
function sampleVideo(): Buffer {
  const free = Buffer.alloc(uploadBytes - video.length);
  free.writeUInt32BE(free.length);
  free.write("free", 4);
  return Buffer.concat([video, free]);
}

/**
 * Tries what jobs need, once each: the key, an upload, a question to each model, a deletion. Logs each step. Never rejects.
 *
 * @param directory an existing or new directory for a small file.
 */
export async function checkProvider(deps: CheckDeps, directory: string): Promise<ProviderCheck[]> {
  const { sdk, models, log } = deps;
  const signal = AbortSignal.timeout(maxCheckMs);
  const jobId = randomUUID();
  const context = { jobId, signal, deadline: new Date(deps.clock.now() + maxCheckMs), maxAttempts: 2 };
  const checks: ProviderCheck[] = [];
  let folder: string | undefined;
  try {
    await step("key", () => sdk.listFiles(null, signal));
    if (deps.checkFiles) await step("bucket", () => deps.checkFiles?.(signal));
    const upload = async () => {
      await mkdir(directory, { recursive: true });
      folder = await mkdtemp(join(directory, "provider-check-"));
      const path = join(folder, "sample.mp4");
      await writeFile(path, sampleVideo());
      const sample = { path, mimeType: "video/mp4", durationMs: videoSeconds * 1000, hasSound: false, jobId };
      const copy = createProviderCopy({ ...deps, inline: openInlineRoom(0) }, sample, context);
      const ready = await copy.ready();
      if (!("uri" in ready)) throw new Error("The video was not uploaded.");
      return { copy, ...ready };
    };
    const file = deps.hasFiles ? await step("upload", upload) : undefined;
    for (const model of models) await step(`model ${model}`, () => question(model, file));
    if (file) await step("delete", () => sdk.deleteFile(file.name, signal));
    await file?.copy.discard();
  } finally {
    if (folder) await rm(folder, { recursive: true, force: true });
  }
  return checks;

  async function step<T>(step: string, work: () => Promise<T> | undefined): Promise<T | undefined> {
    try {
      const result = await work();
      checks.push({ step, isOk: true, words: "", advice: "" });
      log.info({ step }, "provider check passed");
      return result;
    } catch (error) {
      const cause = error instanceof Problem && error.cause ? error.cause : error;
      const words = cause instanceof Error ? cause.message : String(cause);
      const advice = adviceOn(cause);
      checks.push({ step, isOk: false, words, advice });
      log.error({ step, providerError: words, advice }, "provider check failed");
      return undefined;
    }
  }

  /** Without an upload, the question carries the video itself. */
  async function question(model: string, file: { uri: string; mimeType: string } | undefined): Promise<void> {
    const { framesPerSecond = 1, mediaResolution } = looks.high;
    const inline = { bytes: video, mimeType: "video/mp4", durationMs: videoSeconds * 1000, framesPerSecond };
    const schema = { type: "object", properties: { colours: { type: "array", items: { type: "string" } } } };
    const response = await sdk.generate(
      {
        ...{ model, video: file ?? inline, framesPerSecond },
        system: "You watch a video and answer with JSON.",
        prompt: "Which colours does the video show?",
        config: { responseMimeType: "application/json", responseJsonSchema: schema, mediaResolution },
      },
      signal,
    );
    readAnswer(response, videoSeconds * 1000);
  }
}
