import { stat } from "node:fs/promises";

/** The identity and size of a file at one moment. */
export type FileSnapshot = {
  /** Throws a plain error if the file is gone, was replaced or has another size. */
  throwIfChanged(): Promise<void>;
};

/**
 * Takes a snapshot of a file, so that a video is not rejected because its file was removed or changed meanwhile. Throws
 * if there is no such file.
 */
export async function takeFileSnapshot(path: string): Promise<FileSnapshot> {
  const before = await stat(path);
  return {
    async throwIfChanged() {
      const now = await stat(path);
      if (now.ino === before.ino && now.size === before.size) return;
      throw new Error(`The video's file changed while it was processed: ${before.size} bytes, then ${now.size}.`);
    },
  };
}
