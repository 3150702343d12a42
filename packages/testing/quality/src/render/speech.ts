import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const program = "espeak-ng";

/** The samples a second of all sound. */
export const samplesPerSecond = 22_050;

/** Returns whether espeak-ng is installed. Without it there are no spoken words. */
export async function canSpeak(): Promise<boolean> {
  return run(program, ["--version"]).then(
    () => true,
    () => false,
  );
}

/** Returns words as mono samples of 16 bits. */
export async function speak(words: string): Promise<Int16Array> {
  const { stdout } = await run(program, ["-v", "en", "-s", "160", "--stdout", words], {
    encoding: "buffer",
    maxBuffer: 64 * 1024 * 1024,
  });
  // The header of a stream has no valid length. The samples start four bytes after the word "data".
  const data = stdout.indexOf("data") + 8;
  const count = Math.floor((stdout.length - data) / 2);
  return Int16Array.from({ length: count }, (_, index) => stdout.readInt16LE(data + index * 2));
}
