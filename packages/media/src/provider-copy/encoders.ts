import type { CopyPlan } from "./copy-plan.ts";

/**
 * The options that encode pictures for each container. libvpx has one thread: several of them mostly wait for each
 * other, and take up to 40 times the CPU time.
 */
export const videoEncoders = {
  mp4: ["-c:v", "libx264", "-preset", "veryfast", "-crf", "23"],
  webm: ["-c:v", "libvpx", "-threads", "1", "-deadline", "realtime", "-cpu-used", "8", "-crf", "10", "-b:v", "4M"],
};

/** Returns the options that copy or encode the sound of a copy. */
export function audioOptions(plan: Pick<CopyPlan, "container" | "audio">): string[] {
  if (plan.audio === "copy") return ["-c:a", "copy"];
  return plan.container === "webm" ? ["-c:a", "libopus", "-ac", "2"] : ["-c:a", "aac", "-ac", "2", "-b:a", "128k"];
}
