import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../exit/command-error.ts";
import { codeOf, writeAtomically } from "../files/write-atomically.ts";

/** A file that will be written as a whole. */
export type OutputFile = {
  /** Writes the file. Throws not_written. */
  write(text: string): Promise<void>;
};

/**
 * Checks that a file can be written, before anything is charged. An existing file keeps its mode, and a link its target.
 * Throws not_written.
 */
export async function openOutputFile(path: string): Promise<OutputFile> {
  const notWritten = (reason: string, cause?: unknown) =>
    new CommandError("not_written", `${path} cannot be written: ${reason}.`, { cause });
  try {
    const found = await stat(path).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    });
    if (found && !found.isFile()) throw notWritten("it is not a regular file; redirect standard output to it");
    const target = found ? await realpath(path) : join(await realpath(dirname(path)), basename(path));
    await access(dirname(target), constants.W_OK);
    const mode = found ? found.mode & 0o777 : 0o666;
    return {
      write: async (text) => {
        await writeAtomically(target, text, mode).catch((error: unknown) => {
          throw notWritten(codeOf(error), error);
        });
      },
    };
  } catch (error) {
    throw error instanceof CommandError ? error : notWritten(codeOf(error), error);
  }
}
