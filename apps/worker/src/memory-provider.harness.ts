import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AnalysisProvider, Question } from "@video-to-json/analysis";
import { ffmpeg } from "@video-to-json/testing";

type ProviderCopy = { jobId: string; mimeType: string; bytes: Buffer };

/** A provider in memory, with other capabilities than Gemini: it reads WebM only and takes no schema. */
export type MemoryProvider = AnalysisProvider & {
  /** The copies that it stores now. */
  readonly copies: Set<ProviderCopy>;
  /** Every video that it received. */
  readonly received: ProviderCopy[];
  readonly questions: Question[];
  readonly cancelledUploads: string[];
};

type Options = {
  /** The answers to the questions, in order. */
  answers: string[];
  /** The tokens that each question costs. */
  tokens?: number;
  /** Called after the last question, before the copy is deleted. */
  beforeDelete?(): Promise<void>;
};

export function createMemoryProvider({ answers, tokens = 0, beforeDelete }: Options): MemoryProvider {
  const copies = new Set<ProviderCopy>();
  const received: ProviderCopy[] = [];
  const questions: Question[] = [];
  const cancelledUploads: string[] = [];
  return {
    ...{ copies, received, questions, cancelledUploads },
    capabilities: {
      media: { containers: { webm: ["opus"] }, videoCodecs: ["vp8"], maxFileBytes: 10_000_000 },
      maxClipBytes: 0,
      schemaDialect: null,
      hearsSound: true,
    },
    async withVideo({ path, jobId, mimeType, onTokens }, _run, use) {
      const copy = { jobId, mimeType, bytes: await readFile(path) };
      received.push(copy);
      copies.add(copy);
      try {
        const result = await use(async (question) => {
          questions.push(question);
          onTokens?.(tokens, tokens / 1e6);
          return { text: answers.shift() ?? "", model: `memory-${question.model}` };
        });
        await beforeDelete?.();
        return result;
      } finally {
        copies.delete(copy);
      }
    },
    async deleteCopies(findFinished) {
      const finished = await findFinished([...copies].map(({ jobId }) => jobId));
      const leftovers = [...copies].filter(({ jobId }) => finished.has(jobId));
      for (const copy of leftovers) copies.delete(copy);
      return leftovers.length;
    },
    async cancelUploads(directory) {
      for (const name of await readdir(directory)) {
        cancelledUploads.push(name);
        await rm(join(directory, name));
      }
    },
    reach: async () => {},
    close: async () => {},
  };
}

/** Makes a video of a second that the provider reads as it is, so that no copy is encoded. Returns its path. */
export async function makeReadableVideo(directory: string): Promise<string> {
  const path = join(directory, "video.webm");
  await ffmpeg(["-f", "lavfi", "-i", "color=red:size=64x48:rate=5:duration=1", "-c:v", "libvpx", path]);
  return path;
}
