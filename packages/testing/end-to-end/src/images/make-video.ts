import { runCommand } from "./run-command.ts";
import type { Step } from "./steps/step.ts";

/** The options of H.264 in MP4. */
export const mp4 = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov", "-f", "mp4"];
const scenes = { red: "FIRST", green: "SECOND", blue: "THIRD" };

/**
 * Returns a video that the image of the emulator makes: three scenes, each of one colour with a caption, and a tone.
 *
 * @param encode options for encoders and container; H.264 in MP4 by default.
 */
export async function makeVideo(
  { docker }: Pick<Step, "docker">,
  { seconds = 5, encode = mp4 }: { seconds?: number; encode?: readonly string[] } = {},
): Promise<Buffer> {
  const picture = (colour: string) => `color=${colour}:size=480x270:rate=10:duration=${seconds / 3}`;
  const pictures = Object.keys(scenes).flatMap((colour) => ["-f", "lavfi", "-i", picture(colour)]);
  const captions = Object.values(scenes).map(
    (caption, index) => `[${index}]drawtext=text=${caption}:fontsize=44:fontcolor=white:x=(w-tw)/2:y=h-70[s${index}]`,
  );
  const graph = `${captions.join(";")};[s0][s1][s2]concat=n=3[picture]`;
  const source = [...pictures, "-f", "lavfi", "-i", `sine=duration=${seconds}`];
  const maps = ["-filter_complex", graph, "-map", "[picture]", "-map", "3:a"];
  const command = ["docker", "run", "--rm", "--entrypoint", "ffmpeg", "video-to-json-emulator:try"];
  const options = ["-loglevel", "error", ...source, ...maps, ...encode, "pipe:1"];
  return (await runCommand([...command, ...options], docker)).stdout;
}
