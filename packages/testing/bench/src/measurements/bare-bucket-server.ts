import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { S3 } from "@aws-sdk/client-s3";
import { sendResult } from "../script.ts";

// This file is the entry point of a process: a server that only sends the body of each request to a bucket, in parts of
// 8 MiB, four at a time. Credentials come from the environment.
const [endpoint = "", bucket = ""] = process.argv.slice(2);
const options = { requestChecksumCalculation: "WHEN_REQUIRED", responseChecksumValidation: "WHEN_REQUIRED" } as const;
const client = new S3({ endpoint, region: "us-east-1", forcePathStyle: true, ...options });
const partBytes = 8 * 1024 ** 2;
const together = 4;

async function store(request: IncomingMessage, key: string): Promise<void> {
  const place = { Bucket: bucket, Key: key };
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

let objects = 0;
const server = createServer((request, response) => {
  store(request, `bare-${objects++}`).then(
    () => response.end(),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(0, "127.0.0.1", () => sendResult((server.address() as AddressInfo).port));
