import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { sendResult } from "../script.ts";

// This file is the entry point of a process: a server that only pipes the body of each request to a new file. With the
// path /whole, it also hashes and flushes the body, as every upload must be.
const directory = process.argv[2] ?? "";
let files = 0;
const server = createServer(async (request, response) => {
  const path = join(directory, `body-${files++}`);
  const store = async () => {
    if (request.url !== "/whole") return pipeline(request, createWriteStream(path));
    const hash = createHash("sha256");
    request.on("data", (chunk: Buffer) => hash.update(chunk));
    await pipeline(request, createWriteStream(path));
    await using file = await open(path);
    await file.sync();
    hash.digest("hex");
  };
  await store().then(
    () => response.end(),
    () => response.destroy(),
  );
});
server.listen(0, "127.0.0.1", () => sendResult((server.address() as AddressInfo).port));
