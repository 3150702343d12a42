import { type FileHandle, open } from "node:fs/promises";
import type { Confinement } from "./confinement.ts";

/** The files of one run, open, with the names under which the program finds them. Disposing of it closes them. */
export type HandedFiles = AsyncDisposable & { input: string; output: string; descriptors: readonly number[] };

/**
 * Opens the files of a run, so that the program can use them although it sees no directory of ours. An output is created,
 * or emptied if it is there. Close them after the run.
 *
 * @param files are our own paths. Without an output, the program can write to no file.
 * @throws the error of the file system, which is this machine's fault and not the video's.
 */
export async function handOver(
  { hasOwnUser }: Pick<Confinement, "hasOwnUser">,
  files: { input: string; output?: string | undefined },
): Promise<HandedFiles> {
  const opened: FileHandle[] = [];
  const close = async () => void (await Promise.all(opened.map((file) => file.close())));
  try {
    opened.push(await open(files.input, "r"));
    if (files.output !== undefined) opened.push(await open(files.output, "w", 0o600));
    // The program opens the file behind the descriptor once more. Nobody else can: no stranger may enter the directory.
    const [input, output] = opened;
    if (hasOwnUser) await input?.chmod(0o644);
    if (hasOwnUser) await output?.chmod(0o666);
  } catch (error) {
    await close();
    throw error;
  }
  const nameOf = (index: number) => `file:${process.platform === "linux" ? "/proc/self/fd" : "/dev/fd"}/${index}`;
  const descriptors = opened.map((file) => file.fd);
  return { input: nameOf(3), output: nameOf(4), descriptors, [Symbol.asyncDispose]: close };
}
