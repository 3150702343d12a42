import { findConfinement, measure } from "@video-to-json/media";
import { answerTasks } from "../processes/answer-tasks.ts";

// This file is the entry point of a process that measures files as a worker does. A task names the file; the result is
// in milliseconds.
const confinement = await findConfinement({ programDirectory: process.env.FFMPEG_DIRECTORY });

answerTasks(async ({ path }: { path: string }) => {
  const startedAt = performance.now();
  await measure(path, { maxVideoSeconds: 600.4, confinement });
  return performance.now() - startedAt;
});
