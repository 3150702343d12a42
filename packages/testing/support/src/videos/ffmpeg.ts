import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Runs ffmpeg with these arguments, in a folder; throws with what it said when it fails. */
export async function ffmpeg(args: readonly string[], folder?: string): Promise<void> {
  await run("ffmpeg", ["-v", "error", "-y", "-nostdin", ...args], { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
}

/** Whether this build of ffmpeg has an encoder or a filter of that name. */
export async function ffmpegHas(kind: "encoder" | "filter", name: string): Promise<boolean> {
  const { stdout } = await run("ffmpeg", ["-hide_banner", "-v", "error", "-h", `${kind}=${name}`]);
  return stdout.trimStart().startsWith(kind === "encoder" ? "Encoder" : "Filter");
}
