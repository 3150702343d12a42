import { type FileHandle, open } from "node:fs/promises";
import type { Confinement } from "./confinement.ts";

/** The open files of one run, with the names under which the program finds them. Disposing of it closes them. */
export type HandedFiles = AsyncDisposable & {
  input: string;
  /** The names of the other inputs. */
  others: readonly string[];
  output: string;
  descriptors: readonly number[];
};

/**
 * Opens the files of a run, so that the program can use them although it sees no directory of ours. Creates an output,
 * or empties an existing one. Close them after the run.
 *
 * @param files are our own paths. Without an output, the program can write to no file.
 * @throws the error of the file system, which is this machine's fault and not the video's.
 */
export async function handOver(
  { hasOwnUser }: Pick<Confinement, "hasOwnUser">,
  files: { input: string; others?: readonly string[]; output?: string | undefined },
): Promise<HandedFiles> {
  const inputs = [files.input, ...(files.others ?? [])];
  const opened: FileHandle[] = [];
  const close = async () => void (await Promise.all(opened.map((file) => file.close())));
  try {
    for (const path of inputs) opened.push(await open(path, "r"));
    if (files.output !== undefined) opened.push(await open(files.output, "w", 0o600));
    // The program opens the file behind the descriptor again. Other users cannot, because they may not enter the
    // directory.
    if (hasOwnUser)
      for (const [index, file] of opened.entries()) await file.chmod(index < inputs.length ? 0o644 : 0o666);
  } catch (error) {
    await close();
    throw error;
  }
  const nameOf = (index: number) => `file:${process.platform === "linux" ? "/proc/self/fd" : "/dev/fd"}/${index}`;
  const descriptors = opened.map((file) => file.fd);
  const [input = "", ...others] = inputs.map((_, index) => nameOf(3 + index));
  return { input, others, output: nameOf(3 + inputs.length), descriptors, [Symbol.asyncDispose]: close };
}
