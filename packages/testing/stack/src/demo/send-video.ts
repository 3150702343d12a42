import { randomBytes } from "node:crypto";
import { createReadStream, statSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";

/** The request: `schema` is JSON text, `file` a path. */
export type Extraction = { baseUrl: string; apiKey: string; schema: string; file: string };

/** Progress of the upload, in bytes of the body, and its cancellation. */
export type Sending = { onProgress(sent: number, total: number): void; signal: AbortSignal };

/** Posts a video with its schema as multipart/form-data. Returns the response. Holds at most one chunk in memory. */
export async function sendVideo(
  { baseUrl, apiKey, schema, file }: Extraction,
  { onProgress, signal }: Sending,
): Promise<{ status: number; body: string }> {
  const boundary = `----${randomBytes(12).toString("hex")}`;
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="schema"\r\n\r\n${schema}\r\n` +
    `--${boundary}\r\nContent-Disposition: form-data; name="video"; filename="${basename(file)}"\r\n` +
    "Content-Type: video/mp4\r\n\r\n";
  const tail = `\r\n--${boundary}--\r\n`;
  const total = Buffer.byteLength(head) + statSync(file).size + Buffer.byteLength(tail);

  const call = request(`${baseUrl}/v1/extract`, {
    method: "POST",
    signal,
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": total,
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.once("response", resolve);
    call.once("error", reject);
  });
  async function* parts(): AsyncGenerator<Buffer | string> {
    let sent = 0;
    for (const piece of [[head], createReadStream(file), [tail]]) {
      for await (const bytes of piece) {
        yield bytes;
        sent += Buffer.byteLength(bytes);
        onProgress(sent, total);
      }
    }
  }
  // A service that rejects the request early closes the connection before the end of the body. Its response counts.
  const sent = pipeline(parts, call).catch(() => {});
  const response = await answered;
  const body = await textOf(response);
  await sent;
  return { status: response.statusCode ?? 0, body };
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
