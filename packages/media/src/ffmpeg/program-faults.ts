import ffmpeg from "fluent-ffmpeg";
import type { Confinement } from "./confinement.ts";
import { findProgram } from "./find-program.ts";
import { runLimited } from "./limited-process.ts";

/** Returns one line for each of ffmpeg and ffprobe that is missing or does not start. */
export async function findProgramFaults(confinement: Confinement): Promise<string[]> {
  const faults = await Promise.all((["ffmpeg", "ffprobe"] as const).map((program) => faultOf(program, confinement)));
  return faults.filter((fault) => fault !== undefined);
}

/**
 * Starts the program as for a video, so that any obstacle is found now. If an isolation was found, its trial has
 * started both programs, so they only have to be on `PATH`.
 */
async function faultOf(program: "ffmpeg" | "ffprobe", confinement: Confinement): Promise<string | undefined> {
  const command = ffmpeg().input("none").inputOptions("-version");
  const { isolated, programDirectory } = confinement;
  try {
    if (isolated.length > 0) await (programDirectory ?? findProgram(program));
    else await runLimited(program, command, { ...limits, confinement });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const limits = {
  ...{ timeoutMs: 60_000, maxMemoryBytes: 1_500_000_000, maxCpuSeconds: 30 },
  ...{ maxFileBytes: 0, maxStdoutBytes: 1_000_000 },
};
