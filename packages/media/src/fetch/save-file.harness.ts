import { rm, writeFile } from "node:fs/promises";
import type { SaveBytes } from "./fetch-video.ts";

/** Saves a download as a file, which goes if the download fails. Returns its size. */
export function saveFile(path: string): SaveBytes<{ bytes: number }> {
  return async (chunks) => {
    let bytes = 0;
    const counted = async function* () {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        yield chunk;
      }
    };
    await writeFile(path, counted()).catch(async (error) => {
      await rm(path, { force: true });
      throw error;
    });
    return { bytes };
  };
}
