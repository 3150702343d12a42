import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";

/** A video to send: the path of a file on disk, a `file:` URL, a Blob or File, or bytes. */
export type VideoSource = string | URL | Blob | Uint8Array;

/** A video that can be read piece by piece, any number of times, without holding more than the piece. */
export type OpenVideo = {
  fileName: string;
  size: number;
  /** Bytes from a position on: so many, or fewer at the end. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
};

/** Opens a video. Throws a TypeError for what is none, and what the file system says of a file that cannot be opened. */
export async function openVideo(video: VideoSource, fileName: string | undefined): Promise<OpenVideo> {
  if (video instanceof Blob) return openBlob(video, fileName);
  if (video instanceof Uint8Array) return openBytes(video, fileName);
  if (typeof video !== "string" && !(video instanceof URL)) {
    throw new TypeError("video is none of: path, file URL, Blob, Uint8Array. Pass one of them, or videoUrl.");
  }
  if (/^https?:/i.test(String(video))) {
    throw new TypeError("video is the address of a video, not a file. Pass it as videoUrl.");
  }
  return openFile(video instanceof URL ? fileURLToPath(video) : video, fileName);
}

async function openFile(path: string, fileName = basename(path)): Promise<OpenVideo> {
  // Opening a pipe would wait for someone to write to it.
  if (!(await stat(path)).isFile()) throw new TypeError(`${path} is not a file. Pass the path of a video file.`);
  // Held open for every try: a file that is replaced meanwhile does not become another request.
  const file = await open(path, "r");
  const { size } = await file.stat();
  return {
    fileName,
    size,
    async read(position, length) {
      const piece = new Uint8Array(length);
      const { bytesRead } = await file.read(piece, 0, length, position);
      return piece.subarray(0, bytesRead);
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
