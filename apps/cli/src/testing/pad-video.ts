import { appendFile, copyFile, stat, truncate } from "node:fs/promises";

/** Copies an MP4 file and pads the copy to `bytes` with a free box, which holds no media. */
export async function padVideo(source: string, target: string, bytes: number): Promise<void> {
  await copyFile(source, target);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(bytes - (await stat(target)).size);
  header.write("free", 4);
  await appendFile(target, header);
  await truncate(target, bytes);
}
