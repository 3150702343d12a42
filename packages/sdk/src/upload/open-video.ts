/**
 * A video to upload: the path of a file, a `file:` URL, a Blob or File, bytes, a stream, or the response of a `fetch`.
 * A stream and a response can be read only once, so they are not sent again after a broken upload.
 */
export type VideoSource = string | URL | Blob | Uint8Array | ArrayBuffer | ReadableStream<Uint8Array> | Response;

/** An open video. It is read in chunks, never as a whole. */
export type OpenVideo = {
  fileName: string;
  /** The number of bytes; undefined for a stream. */
  size: number | undefined;
  /** The probable number of bytes of a stream; undefined if it is unknown. */
  expectedBytes?: number | undefined;
  /** Whether it was read and cannot be read again. */
  isUsedUp(): boolean;
  /** Reads `length` bytes from `position` on, or fewer at the end. A stream returns its next bytes in any number. */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
};

const canReadAgain = () => false;

/** Opens a video. Throws a TypeError for a wrong argument, and the file system's error when a file cannot be opened. */
export async function openVideo(video: VideoSource, fileName: string | undefined): Promise<OpenVideo> {
  if (video instanceof Blob) return openBlob(video, fileName);
  if (video instanceof Uint8Array) return openBytes(video, fileName);
  if (video instanceof ArrayBuffer) return openBytes(new Uint8Array(video), fileName);
  if (video instanceof Response) return openResponse(video, fileName);
  if (video instanceof ReadableStream) return openStream(video, { fileName });
  if (typeof video !== "string" && !(video instanceof URL)) {
    throw new TypeError(
      "video is not a path, file URL, Blob, ArrayBuffer, Uint8Array, ReadableStream or Response. Pass one, or videoUrl.",
    );
  }
  if (/^https?:/i.test(String(video))) {
    throw new TypeError("video is a web address. Pass it as videoUrl.");
  }
  return openFile(video, fileName);
}

/**
 * Loads a module of Node when it is needed. Bundlers for other platforms do not see it, so they do not need the module.
 * A webpack bundle cannot import a computed name, so this code asks Node itself first.
 */
async function loadFromNode(name: string): Promise<unknown> {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  try {
    return process?.getBuiltinModule?.(name) ?? (await import(/* webpackIgnore: true */ /* @vite-ignore */ name));
  } catch (cause) {
    const advice = "Pass its bytes, a Blob, a ReadableStream or a Response, or videoUrl.";
    throw new TypeError(`video is a path, and this runtime opens no files. ${advice}`, { cause });
  }
}

async function openFile(source: string | URL, fileName: string | undefined): Promise<OpenVideo> {
  const { open, stat } = (await loadFromNode("node:fs/promises")) as typeof import("node:fs/promises");
  const { basename } = (await loadFromNode("node:path")) as typeof import("node:path");
  const { fileURLToPath } = (await loadFromNode("node:url")) as typeof import("node:url");
  const path = source instanceof URL ? fileURLToPath(source) : source;
  // Opening a pipe would block until something writes to it.
  if (!(await stat(path)).isFile()) throw new TypeError(`${path} is not a file. Pass the path of a video file.`);
  // Kept open for all tries, so that replacing the file between two tries does not change the request.
  const file = await open(path, "r");
  const { size } = await file.stat();
  return {
    fileName: fileName ?? basename(path),
    size,
    isUsedUp: canReadAgain,
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
    isUsedUp: canReadAgain,
    read: async (position, length) => new Uint8Array(await blob.slice(position, position + length).arrayBuffer()),
    close: async () => {},
  };
}

function openBytes(bytes: Uint8Array, fileName = "video"): OpenVideo {
  return {
    fileName,
    size: bytes.length,
    isUsedUp: canReadAgain,
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => {},
  };
}

function openResponse(response: Response, fileName: string | undefined): OpenVideo {
  if (!response.ok) {
    throw new TypeError(`video is a response with status ${response.status}. Pass one that has the video.`);
  }
  if (!response.body) throw new TypeError("video is a response without a body. Pass one that has the video.");
  const { headers, body } = response;
  // With a Content-Encoding, the length is that of the encoded bytes.
  const length = headers.has("content-encoding") ? null : headers.get("content-length");
  return openStream(body, { fileName, ...(length !== null && { expectedBytes: Number(length) }) });
}

function openStream(
  stream: ReadableStream<Uint8Array>,
  { fileName = "video", expectedBytes }: { fileName?: string | undefined; expectedBytes?: number },
): OpenVideo {
  if (stream.locked) throw new TypeError("video is a stream that already has a reader. Pass one without a reader.");
  const reader = stream.getReader();
  let isUsed = false;
  return {
    fileName,
    size: undefined,
    expectedBytes,
    isUsedUp: () => isUsed,
    async read() {
      isUsed = true;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return new Uint8Array();
        if (!(value instanceof Uint8Array)) throw new TypeError("video is a stream of something other than bytes.");
        if (value.length > 0) return value;
      }
    },
    close: async () => {
      // A stream that failed cannot be cancelled.
      await reader.cancel().catch(() => {});
    },
  };
}
