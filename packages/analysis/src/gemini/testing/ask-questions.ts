import type { Detail } from "@video-to-json/contract";
import type { Question, VideoFile } from "../../analysis-provider.ts";
import type { GeminiOptions } from "../create-gemini-provider.ts";
import { type Act, type FaultServer, sendError } from "./fault-server.ts";
import { jobRun, openTestGemini } from "./test-gemini.ts";

export const question: Question = {
  model: "small",
  system: "rules",
  prompt: "question",
  responseSchema: { type: "object" },
};

/** Asks the questions one after the other about one copy of the video. */
export async function ask(
  server: FaultServer,
  video: VideoFile,
  questions: Question[] = [question],
  run = jobRun(),
  detail?: Detail,
  options: Partial<GeminiOptions> = {},
) {
  const opened = openTestGemini(server.url, options);
  const answers = opened.gemini
    .withVideo({ ...video, ...(detail && { detail }) }, run, async (askOne) => {
      const given = [];
      for (const each of questions) given.push(await askOne(each));
      return given;
    })
    .finally(() => opened.gemini.close());
  return { ...opened, answers: await answers.catch((error) => error) };
}

/** Returns the questions that the server received. */
export const generated = (server: FaultServer) =>
  server.seen.filter(({ call }) => call === "generate").map(({ url, body }) => ({ url, body: JSON.parse(body) }));
export const refuse =
  (status: number, message: string, reason?: string, details?: unknown[]): Act =>
  ({ response }) =>
    sendError(response, status, message, reason, details);
export const times = (count: number, act: Act) => Array.from({ length: count }, () => act);
