import {
  type AnalysisProvider,
  type CutClip,
  type OpenChecks,
  type openShiftMemory,
  prepareChecks,
  type SpokenWord,
} from "@video-to-json/analysis";
import { billedSeconds, type Limits, maxEvidenceBytes, type SecondLook, type VideoPart } from "@video-to-json/contract";
import type { ClaimedJob } from "@video-to-json/database";
import {
  type Confinement,
  canReadScreenText,
  cutClip,
  type MeasuredVideo,
  readScreenTexts,
  type TextReader,
} from "@video-to-json/media";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { FairPlaces, KindPlaces } from "@video-to-json/runtime/timing";
import type { CompiledSchema, SchemaWork } from "@video-to-json/schema";

/** The checks of jobs whose requests do not say, and what all second looks share. */
export type DefaultChecks = {
  readonly secondLook: SecondLook;
  /** Whether lists of moments are completed window by window. */
  readonly completesLists: boolean;
  /** What the second looks of earlier jobs saw. */
  readonly shiftsOf: ReturnType<typeof openShiftMemory>;
  /** PP-OCR, for frames that tesseract cannot read. It reads one at a time. The others wait for a place. */
  readonly hardText: { readonly reader: Pick<TextReader, "read">; readonly places: FairPlaces };
};

type CutterDeps = {
  readonly provider: Pick<AnalysisProvider, "capabilities">;
  readonly confinement: Confinement;
  readonly processor: KindPlaces;
};

type ChecksDeps = CutterDeps & {
  readonly limits: Pick<Limits, "evidenceSeconds" | "minimumBilledSeconds">;
  readonly checks: DefaultChecks;
  readonly log: Pick<Logger, "info" | "warn">;
};

/** `path`: the file that the provider got, whose time stamps begin at 0: the video, or the `part` of it. */
type Source = { path: string; video: MeasuredVideo; part: VideoPart | null; scratch: string };

/** Returns the words of the file, as `VideoFile.words`. */
export type Words = (signal: AbortSignal) => Promise<readonly SpokenWord[] | null>;

type Work = Source & { schema: CompiledSchema; sandbox: SchemaWork; words: Words; signal: AbortSignal };

const lastFrameMs = 100;
/** The scripts of the models in `hardText`. */
const hardScripts: readonly string[] = ["Latin", "Han"];

/** Returns the checks that a job wants for its conforming answers; undefined if it wants none. */
export function checksOfJob(deps: ChecksDeps, job: ClaimedJob, work: Work): OpenChecks | undefined {
  const { provider, confinement, processor, checks, limits, log } = deps;
  const { path, video, part, scratch: scratchDir, schema, sandbox, signal } = work;
  const seconds = billedSeconds(part ? part.toMs - part.fromMs : video.durationMs, limits.minimumBilledSeconds);
  // The last frame of a clip begins before its end.
  const inFile = (ms: number) => (part ? Math.max(0, Math.min(ms, part.toMs - lastFrameMs) - part.fromMs) : ms);
  return prepareChecks(
    {
      sandbox,
      log,
      cutClip: provider.capabilities.maxClipBytes > 0 ? openClipCutter(deps, job, work) : null,
      hearsSound: provider.capabilities.hearsSound,
      async readScreens({ times, reading, script }, { signal }) {
        const context = { confinement, scratchDir, signal };
        const isReadable = canReadScreenText(script);
        const frames = times.map(inFile);
        if (hardScripts.includes(script) && (reading === "second" || !isReadable)) {
          const { reader, places } = checks.hardText;
          const read = (atMs: number) => processor.run(job, signal, () => reader.read(path, atMs, context));
          return oneByOne(frames, (atMs) => places.run(job.accountId, signal, () => read(atMs)), signal);
        }
        if (!isReadable) return null;
        const options = { ...context, script, reading: reading === "first" ? "all" : "bright" } as const;
        const read = (some: readonly number[]) =>
          processor.run(job, signal, () => readScreenTexts(path, some, options));
        const together = frames.length > 1 ? await read(frames).catch(() => null) : null;
        return together ?? oneByOne(frames, async (atMs) => (await read([atMs]))[0] ?? null, signal);
      },
    },
    {
      jobId: job.id,
      schema,
      instructions: job.instructions,
      durationMs: video.durationMs,
      shifts: checks.shiftsOf({ accountId: job.accountId, schemaText: schema.schemaText }),
      hasSound: video.audioCodec !== null,
      async words(signal) {
        const shift = part?.fromMs ?? 0;
        const heard = await work.words(signal);
        const inWhole = ({ text, startMs, endMs }: SpokenWord) => ({
          text,
          startMs: startMs + shift,
          endMs: endMs + shift,
        });
        return heard === null ? null : heard.map(inWhole);
      },
      part,
      secondLook: job.secondLook ?? checks.secondLook,
      completesLists: job.completesLists ?? checks.completesLists,
      evidence: job.wantsEvidence ? { ms: limits.evidenceSeconds * 1000, maxBytes: maxEvidenceBytes(seconds) } : null,
      signal,
      deadline: job.deadlineAt,
    },
  );
}

/** Reads frames one by one: null for one that cannot be read. One bad frame must not cost the others. */
async function oneByOne(
  frames: readonly number[],
  read: (atMs: number) => Promise<string | null>,
  signal: AbortSignal,
): Promise<(string | null)[]> {
  const texts: (string | null)[] = [];
  for (const atMs of frames) {
    texts.push(await read(atMs).catch(() => null));
    signal.throwIfAborted();
  }
  return texts;
}

/** Returns a function that cuts clips of a job's video, each in a place of the processor. A clip ends with the part. */
export function openClipCutter(
  { provider, confinement, processor }: CutterDeps,
  account: Parameters<KindPlaces["run"]>[0],
  { path, video, part, scratch }: Source,
): CutClip {
  const { media, maxClipBytes, hearsSound } = provider.capabilities;
  const hasSound = hearsSound && video.audioCodec !== null;
  const fixed = { readable: media, hasSound, scratchDir: scratch, maxBytes: maxClipBytes };
  const held = part ?? { fromMs: 0, toMs: video.durationMs };
  return ({ fromMs, toMs }, framesPerSecond, signal) => {
    const window = { fromMs: Math.max(fromMs, held.fromMs), toMs: Math.min(toMs, held.toMs), fileStartMs: held.fromMs };
    return processor.run(account, signal, () =>
      cutClip(path, { ...fixed, ...window, framesPerSecond, confinement, signal }),
    );
  };
}
