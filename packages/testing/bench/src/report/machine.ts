import { execFile } from "node:child_process";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";
import { promisify } from "node:util";
import { findCommand } from "@video-to-json/testing/running";
import { findFfprobe } from "../overhead/find-ffprobe.ts";

/** A description of the machine of a run, and its load before the run. */
export async function describeMachine(): Promise<string> {
  const ffprobe = await findFfprobe();
  const server = findCommand("redis-server", ["/opt/homebrew/bin"]);
  const redis = server ? /v=(\S+)/.exec((await promisify(execFile)(server, ["--version"])).stdout)?.[1] : undefined;
  return [
    `${availableParallelism()} × ${cpus()[0]?.model.trim() ?? "unknown processor"}`,
    `${Math.round(totalmem() / 2 ** 30)} GiB of memory`,
    `${process.platform} ${release()}`,
    `Node ${process.versions.node}`,
    `Redis ${redis ?? "in a container"}`,
    `a load average of ${loadavg()[0]?.toFixed(1)} before the run`,
    `ffmpeg ${ffprobe.version}${ffprobe.isMinimal ? " (minimal build)" : ""}`,
  ].join(", ");
}
