import type { OpenVideo } from "./open-video.ts";

/** A `multipart/form-data` body that can be sent any number of times. Its length is known beforehand. */
export type Form = {
  headers: { "content-type": string; "content-length": string };
  /** The body anew. */
  body(follow: Follow): FormBody;
};

type Follow = {
  /** Awaited between the fields and the file. */
  beforeFile?: () => Promise<void>;
  /** Called with the file's bytes handed over so far, each time there are more. */
  onSent?: (bytes: number) => void;
  /** Called once, when everything is handed over. */
  onEnd?: () => void;
};

/** One sending of a form. */
type FormBody = {
  stream: ReadableStream<Uint8Array>;
  /** Whether everything was handed over. */
  isSent(): boolean;
  /** What went wrong in reading the file, or undefined. */
  fault(): unknown;
  /** Ends the reading of the file, wherever it is. */
  stop(): void;
};

const pieceBytes = 256 * 1024;

/**
 * A form of text fields, in their order, and a file after them, so that the service can judge the fields before the
 * file has come. Undefined fields are left out.
 */
export function toForm(fields: Record<string, string | undefined>, file: OpenVideo | undefined): Form {
  const boundary = `video-to-json-${crypto.randomUUID()}`;
  const encoder = new TextEncoder();
  let head = "";
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined)
      head += `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  }
  if (file) {
    head += `--${boundary}\r\nContent-Disposition: form-data; name="video"; filename="${quotable(file.fileName)}"\r\n`;
    head += "Content-Type: application/octet-stream\r\n\r\n";
  }
  const first = encoder.encode(head);
  const last = encoder.encode(`${file ? "\r\n" : ""}--${boundary}--\r\n`);
  return {
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": String(first.length + (file?.size ?? 0) + last.length),
    },
    body: (follow) => formBody({ first, file, last }, follow),
  };
}

function formBody(
  parts: { first: Uint8Array; file: OpenVideo | undefined; last: Uint8Array },
  follow: Follow,
): FormBody {
  let sent = false;
  let stopped = false;
  let fault: unknown;
  const pieces = piecesOf(parts, {
    ...follow,
    onSent: (bytes) => {
      if (!stopped) follow.onSent?.(bytes);
    },
  });
  /** The next piece; undefined once stopped, or when the file cannot be read. */
  const next = async () => {
    if (stopped) return undefined;
    try {
      const piece = await pieces.next();
      return stopped ? undefined : piece;
    } catch (error) {
      if (!stopped) fault = error;
      return undefined;
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await next();
        // What throws here says that nobody reads any more: that is for the sender of the request to tell.
        if (!piece) controller.error(new Error("The body ended before its time."));
        else if (!piece.done) controller.enqueue(piece.value);
        else {
          sent = true;
          controller.close();
          follow.onEnd?.();
        }
      },
    },
    // Nothing is read before it is wanted: what was asked for after a piece says that the piece is handed over.
    { highWaterMark: 0 },
  );
  return {
    stream,
    isSent: () => sent,
    fault: () => fault,
    stop: () => {
      stopped = true;
    },
  };
}

async function* piecesOf(
  { first, file, last }: { first: Uint8Array; file: OpenVideo | undefined; last: Uint8Array },
  { beforeFile, onSent }: Follow,
): AsyncGenerator<Uint8Array, void> {
  yield first;
  if (file) {
    await beforeFile?.();
    onSent?.(0);
    for (let position = 0; position < file.size; ) {
      const piece = await file.read(position, Math.min(pieceBytes, file.size - position));
      if (piece.length === 0) throw new Error(`${file.fileName} became shorter while it was sent. Send it again.`);
      yield piece;
      position += piece.length;
      onSent?.(position);
    }
  }
  yield last;
}

/** A file name as browsers write it in a form. */
function quotable(fileName: string): string {
  return fileName.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
