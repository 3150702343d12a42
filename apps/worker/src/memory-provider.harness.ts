import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { AnalysisProvider, Question, VideoFile } from "@video-to-json/analysis";

/** A provider in memory, with other capabilities than Gemini: it reads WebM only and takes no schema. */
export type MemoryProvider = AnalysisProvider & {
  /** The copies that it stores now, by job id. */
  readonly copies: Map<string, Buffer>;
  /** Every video that it received. */
  readonly received: { mimeType: string; bytes: Buffer }[];
  readonly questions: Question[];
  readonly cancelledUploads: string[];
};

type Options = {
  /** The answers to the questions, in order. */
  answers: string[];
  /** Called after the last question, before the copy is deleted. */
  beforeDelete?(): Promise<void>;
};

export function createMemoryProvider({ answers, beforeDelete }: Options): MemoryProvider {
  const copies = new Map<string, Buffer>();
  const received: { mimeType: string; bytes: Buffer }[] = [];
  const questions: Question[] = [];
  const cancelledUploads: string[] = [];
  return {
    ...{ copies, received, questions, cancelledUploads },
    capabilities: {
      media: { containers: { webm: ["opus"] }, videoCodecs: ["vp8"], maxFileBytes: 10_000_000 },
      schemaDialect: null,
    },
    async withVideo(video: VideoFile, _run, use) {
      const bytes = await readFile(video.path);
      received.push({ mimeType: video.mimeType, bytes });
      copies.set(video.jobId, bytes);
      try {
        const result = await use(async (question) => {
          questions.push(question);
          return { text: answers.shift() ?? "", model: `memory-${question.model}` };
        });
        await beforeDelete?.();
        return result;
      } finally {
        copies.delete(video.jobId);
      }
    },
    async deleteCopies(findFinished) {
      const finished = await findFinished([...copies.keys()]);
      return [...finished].filter((jobId) => copies.delete(jobId)).length;
    },
    async cancelUploads(directory) {
      for (const name of await readdir(directory)) {
        cancelledUploads.push(name);
        await rm(join(directory, name));
      }
    },
    close: async () => {},
  };
}
