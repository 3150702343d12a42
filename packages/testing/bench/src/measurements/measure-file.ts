import { findConfinement, measure } from "@video-to-json/media";
import { answerTasks } from "../script.ts";
import { timed } from "../times.ts";

// This file is the entry point of a process that measures files as a worker does. A task names the file; the result is
// in milliseconds.
const confinement = await findConfinement({ programDirectory: process.env.FFMPEG_DIRECTORY });

answerTasks(({ path }: { path: string }) => timed(() => measure(path, { maxVideoSeconds: 600.4, confinement })));
