import { findConfinement } from "@video-to-json/media";
import type { ModelError } from "./answer/err.ts";
import { createWatcher } from "./evidence/watcher.ts";
import { createFaultPlan, type Operation, operations } from "./faults/faults.ts";
import { createFileStore } from "./files/files.ts";
import type { Options } from "./options.ts";
import type { UploadSession } from "./uploads/upload.ts";

/** Creates what all requests share: `dir` is the directory for uploaded bytes, `closing` aborts when the emulator closes. */
export function createState(options: Options, dir: string, closing: AbortSignal) {
  const watcher = createWatcher(() => findConfinement({ programs: ["ffmpeg"] }), options.evidenceDir);
  const faults = createFaultPlan();
  faults.replace(options.faults);
  const modelErrors: readonly ModelError[] = options.modelErrors;
  return {
    ...{ dir, closing, watcher, faults, as: options.as },
    guesses: { strict: options.strict, recorded: options.recorded },
    files: createFileStore(watcher, options.processingMs),
    /** The uploads by id, also those that ended: an ended upload and an unknown one get different refusals. */
    uploads: new Map<string, UploadSession>(),
    modelErrors: { current: modelErrors },
    journal: {
      requests: Object.fromEntries(operations.map((operation) => [operation, 0])) as Record<Operation, number>,
      uploadedBytes: 0,
      generateCounts: {} as Record<string, number>,
      generateLog: [] as GenerateEntry[],
    },
  };
}

/** `videoFirst`: the video part comes before every text part. */
export type GenerateEntry = {
  model: string;
  hasSchema: boolean;
  promptChars: number;
  videoPart: boolean;
  videoFirst: boolean;
};

export type State = ReturnType<typeof createState>;
