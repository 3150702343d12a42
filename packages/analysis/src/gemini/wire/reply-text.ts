import { promisify } from "node:util";
import { brotliDecompress, unzip } from "node:zlib";

const maxReplyBytes = 32 * 1024 * 1024;
const bounded = { maxOutputLength: maxReplyBytes };
const decoders: Record<string, (bytes: Buffer) => Promise<Buffer>> = {
  gzip: (bytes) => promisify(unzip)(bytes, bounded),
  "x-gzip": (bytes) => promisify(unzip)(bytes, bounded),
  deflate: (bytes) => promisify(unzip)(bytes, bounded),
  br: (bytes) => promisify(brotliDecompress)(bytes, bounded),
};

/**
 * Reads a reply to its end. Our requests ask for uncompressed replies, but a proxy may compress them anyway. Throws
 * when the reply, compressed or not, is larger than 32 MiB, or cannot be decompressed.
 *
 * @param encodings the `Content-Encoding` header.
 */
export async function readReplyText(body: AsyncIterable<Buffer>, encodings: string | undefined): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxReplyBytes) throw new Error(`The provider's reply is larger than ${maxReplyBytes} bytes.`);
    pieces.push(piece);
  }
  let bytes: Buffer = Buffer.concat(pieces);
  // The header lists the encodings in the order in which they were applied.
  for (const encoding of (encodings ?? "").toLowerCase().split(",").reverse()) {
    const decode = decoders[encoding.trim()];
    if (decode && bytes.length > 0) bytes = await decode(bytes);
  }
  return bytes.toString("utf8");
}
