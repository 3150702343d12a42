import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** A video to upload: the path of a file, a `file:` URL, a Blob or File, or bytes. */
export type VideoSource = string | URL | Blob | Uint8Array;

/** An open video. It can be read in chunks, any number of times, and never lies in memory as a whole. */
export type OpenVideo = {
  fileName: string;
  size: number;
  /** Reads `length` bytes from `position` on, or fewer at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
};

/** Opens a video. Throws a TypeError for a wrong argument, and the file system's error when a file cannot be opened. */
export async function openVideo(video: VideoSource, fileName: string | undefined): Promise<OpenVideo> {
  if (video instanceof Blob) return openBlob(video, fileName);
  if (video instanceof Uint8Array) return openBytes(video, fileName);
  if (typeof video !== "string" && !(video instanceof URL)) {
    throw new TypeError("video is not a path, file URL, Blob or Uint8Array. Pass one of them, or videoUrl.");
  }
  if (/^https?:/i.test(String(video))) {
    throw new TypeError("video is a web address. Pass it as videoUrl.");
  }
  return openFile(video instanceof URL ? fileURLToPath(video) : video, fileName);
}

async function openFile(path: string, fileName = basename(path)): Promise<OpenVideo> {
  // Opening a pipe would block until something writes to it.
  if (!(await stat(path)).isFile()) throw new TypeError(`${path} is not a file. Pass the path of a video file.`);
  // Open for all tries: replacing the file between two tries must not change the request.
  const file = await open(path, "r");
  const { size } = await file.stat();
  return {
    fileName,
    size,
    async read(position, length) {
      const chunk = new Uint8Array(length);
      const { bytesRead } = await file.read(chunk, 0, length, position);
      return chunk.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

function openBlob(blob: Blob, fileName: string | undefined): OpenVideo {
  const ownName = "name" in blob && typeof blob.name === "string" ? blob.name : "";
  return {
    fileName: fileName ?? (ownName || "video"),
    size: blob.size,
    read: async (position, length) => new Uint8Array(await blob.slice(position, position + length).arrayBuffer()),
    close: async () => {},
  };
}

function openBytes(bytes: Uint8Array, fileName = "video"): OpenVideo {
  return {
    fileName,
    size: bytes.length,
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => {},
  };
}
