import { stat } from "node:fs/promises";

/**
 * Notes a file as it is now, so that no video is blamed for what became of its file here: `throwIfChanged` throws a plain
 * error where it is gone, another file or of another length. Throws where there is no file now.
 */
export async function noteFile(path: string): Promise<{ throwIfChanged(): Promise<void> }> {
  const noted = await stat(path);
  return {
    async throwIfChanged() {
      const now = await stat(path);
      if (now.ino === noted.ino && now.size === noted.size) return;
      throw new Error(`The video's file was changed while it was worked on: ${noted.size} bytes, then ${now.size}.`);
    },
  };
}
