import { promisify } from "node:util";
import { brotliDecompress, unzip } from "node:zlib";

const largestReply = 32 * 1024 * 1024;
const bounded = { maxOutputLength: largestReply };
const decoders: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: (bytes) => promisify(unzip)(bytes, bounded),
  "x-gzip": (bytes) => promisify(unzip)(bytes, bounded),
  deflate: (bytes) => promisify(unzip)(bytes, bounded),
  br: (bytes) => promisify(brotliDecompress)(bytes, bounded),
};

/**
 * The text of a reply, read to the end. Compressed replies are not asked for, yet a proxy may send them. Throws when it
 * is larger than any the service gives, packed or unpacked, or does not unpack.
 */
export async function readReplyText(body: AsyncIterable<Buffer>, encodings: string | undefined): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > largestReply) throw new Error("The reply is larger than any the service gives.");
    pieces.push(piece);
  }
  let bytes: Buffer = Buffer.concat(pieces);
  // The encoding named last was put on last.
  for (const encoding of (encodings ?? "").toLowerCase().split(",").reverse()) {
    const decode = decoders[encoding.trim()];
    if (decode && bytes.length > 0) bytes = await decode(bytes);
  }
  return bytes.toString("utf8");
}
