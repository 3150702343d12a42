import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { S3 } from "@aws-sdk/client-s3";
import { sendResult } from "../script.ts";

// This file is the entry point of a process: a server that only pipes the body of each request to a new file, or with a
// bucket, sends it there. Credentials come from the environment.
const [directory = "", endpoint, Bucket] = process.argv.slice(2);
let stored = 0;

/** With the path /whole, the server also hashes and flushes the body, as every upload must be. */
async function storeInFile(request: IncomingMessage): Promise<void> {
  const path = join(directory, `body-${stored++}`);
  const hash = createHash("sha256");
  if (request.url === "/whole") request.on("data", (chunk: Buffer) => hash.update(chunk));
  await pipeline(request, createWriteStream(path));
  if (request.url !== "/whole") return;
  await using file = await open(path);
  await file.sync();
  hash.digest("hex");
}

const partBytes = 8 * 1024 ** 2;
const together = 4;

async function storeInBucket(client: S3, request: IncomingMessage): Promise<void> {
  const place = { Bucket, Key: `bare-${stored++}` };
  const { UploadId } = await client.createMultipartUpload(place);
  const sent: Promise<{ ETag: string | undefined; PartNumber: number }>[] = [];
  const send = (body: Buffer) => {
    const PartNumber = sent.length + 1;
    const part = client.uploadPart({ ...place, UploadId, PartNumber, Body: body });
    sent.push(part.then(({ ETag }) => ({ ETag, PartNumber })));
  };
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < partBytes) continue;
    send(Buffer.concat(chunks));
    chunks = [];
    bytes = 0;
    await sent.at(-together);
  }
  if (bytes > 0) send(Buffer.concat(chunks));
  await client.completeMultipartUpload({ ...place, UploadId, MultipartUpload: { Parts: await Promise.all(sent) } });
}

const options = { requestChecksumCalculation: "WHEN_REQUIRED", responseChecksumValidation: "WHEN_REQUIRED" } as const;
const client = endpoint ? new S3({ endpoint, region: "us-east-1", forcePathStyle: true, ...options }) : undefined;
const server = createServer((request, response) => {
  const storing = client ? storeInBucket(client, request) : storeInFile(request);
  storing.then(
    () => response.end(),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, "127.0.0.1", () => sendResult((server.address() as AddressInfo).port));
