import type { OpenVideo } from "./open-video.ts";

/** A `multipart/form-data` body. It can be sent as often as its file can be read. */
export type Form = {
  headers: { "content-type": string; "content-length"?: string };
  /** Returns a new stream of the body. */
  body(listeners: Listeners): FormBody;
};

type Listeners = {
  /** Awaited between the fields and the file. */
  beforeFile?: () => Promise<void>;
  /** Called with the number of the file's bytes sent so far. */
  onSent?: (bytes: number) => void;
  /** Called once, when the whole body is sent. */
  onEnd?: () => void;
};

type FormBody = {
  stream: ReadableStream<Uint8Array>;
  /** Whether the whole body is sent. */
  isSent(): boolean;
  /** The error of reading the file, or undefined. */
  readError(): unknown;
  /** Stops reading the file. */
  stop(): void;
};

type Parts = { head: Uint8Array; file: OpenVideo | undefined; tail: Uint8Array };

const chunkBytes = 256 * 1024;

/**
 * Builds a form of text fields, in their order, followed by a file. The service can then refuse the fields before the
 * file arrives. Skips undefined fields.
 */
export function toForm(fields: Record<string, string | undefined>, file: OpenVideo | undefined): Form {
  const boundary = `video-to-json-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  let headText = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined)
      headText += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  }
  if (file) {
    const fileName = escapeFileName(file.fileName);
    headText += `--${boundary}\r\nContent-Disposition: form-data; name="video"; filename="${fileName}"\r\n`;
    headText += "Content-Type: application/octet-stream\r\n\r\n";
  }
  const head = encoder.encode(headText);
  const tail = encoder.encode(`${file ? "\r\n" : ""}--${boundary}--\r\n`);
  const fileSize = file ? file.size : 0;
  const length = fileSize === undefined ? undefined : head.length + fileSize + tail.length;
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      // Without it, the body of a stream is sent in chunks.
      ...(length !== undefined && { "content-length": String(length) }),
    },
    body: (listeners) => formBody({ head, file, tail }, listeners),
  };
}

function formBody(parts: Parts, listeners: Listeners): FormBody {
  let sent = false;
  let stopped = false;
  let readError: unknown;
  const chunks = chunksOf(parts, {
    ...listeners,
    onSent: (bytes) => {
      if (!stopped) listeners.onSent?.(bytes);
    },
  });
  /** Returns the next chunk, or undefined after `stop` or a read error. */
  const next = async () => {
    if (stopped) return undefined;
    try {
      const chunk = await chunks.next();
      return stopped ? undefined : chunk;
    } catch (error) {
      if (!stopped) readError = error;
      return undefined;
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await next();
        // `enqueue` and `close` throw when the reader is gone. The sender of the request reports that.
        if (!chunk) controller.error(new Error("The body ended too early."));
        else if (!chunk.done) controller.enqueue(chunk.value);
        else {
          sent = true;
          controller.close();
          listeners.onEnd?.();
        }
      },
    },
    // Nothing is read ahead, so the request for the next chunk shows that the last one was taken.
    { highWaterMark: 0 },
  );
  return {
    stream,
    isSent: () => sent,
    readError: () => readError,
    stop: () => {
      stopped = true;
    },
  };
}

async function* chunksOf(
  { head, file, tail }: Parts,
  { beforeFile, onSent }: Listeners,
): AsyncGenerator<Uint8Array, void> {
  yield head;
  if (file) {
    await beforeFile?.();
    onSent?.(0);
    const { size = Number.POSITIVE_INFINITY } = file;
    for (let position = 0; position < size; ) {
      const chunk = await file.read(position, Math.min(chunkBytes, size - position));
      if (chunk.length === 0 && file.size === undefined) break;
      if (chunk.length === 0) throw new Error(`${file.fileName} became shorter during the upload. Send it again.`);
      yield chunk;
      position += chunk.length;
      onSent?.(position);
    }
  }
  yield tail;
}

/** Escapes a file name as browsers do in a form. */
function escapeFileName(fileName: string): string {
  return fileName.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
