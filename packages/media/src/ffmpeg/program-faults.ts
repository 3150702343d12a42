import ffmpeg from "fluent-ffmpeg";
import { runLimited } from "./limited-process.ts";

/** Why no video could be worked on here, a line for each of ffmpeg and ffprobe that is missing or does not start. */
export async function findProgramFaults(): Promise<string[]> {
  const faults = await Promise.all((["ffmpeg", "ffprobe"] as const).map(faultOf));
  return faults.filter((fault) => fault !== undefined);
}

/** Started as it is for a video, so that what stands in its way then is found now. */
async function faultOf(program: "ffmpeg" | "ffprobe"): Promise<string | undefined> {
  const command = ffmpeg().input("none").inputOptions("-version");
  try {
    await runLimited(program, command, limits);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const limits = {
  ...{ timeoutMs: 60_000, maxMemoryBytes: 1_500_000_000, maxCpuSeconds: 30 },
  ...{ maxFileBytes: 0, maxStdoutBytes: 1_000_000 },
};
