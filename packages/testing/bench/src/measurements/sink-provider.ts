import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { sendResult } from "../script.ts";

// This file is the entry point of a process: a provider that reads uploads and keeps nothing, so that only the sender
// limits their speed. It also serves the video to the service, at /video, and reads plain bodies, at /bare.
const path = process.argv[2] ?? "";
const { size } = statSync(path);
const file = { name: "files/1", state: "ACTIVE", mimeType: "video/mp4", sizeBytes: String(size) };
const answer = { candidates: [{ content: { parts: [{ text: '{"title":"x"}' }] }, finishReason: "STOP" }] };

const server = createServer(async (request, response) => {
  const { url = "", method } = request;
  if (url === "/video") {
    response.writeHead(200, { "content-type": "video/mp4", "content-length": size });
    return void createReadStream(path, { highWaterMark: 1024 ** 2 }).pipe(response);
  }
  const command = String(request.headers["x-goog-upload-command"] ?? "");
  await drain(request);
  if (command === "start") {
    response.setHeader("x-goog-upload-url", `${origin()}/upload/1`);
    response.setHeader("x-goog-upload-chunk-granularity", "8388608");
    response.setHeader("x-goog-upload-status", "active");
    return void response.end();
  }
  if (command !== "") response.setHeader("x-goog-upload-status", command.includes("finalize") ? "final" : "active");
  const body = command.includes("finalize") ? { file } : url.includes(":generateContent") ? answer : file;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(method === "DELETE" ? {} : body));
});

async function drain(request: IncomingMessage): Promise<void> {
  request.resume();
  await once(request, "end");
}

function origin(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

server.listen(0, "127.0.0.1", () => sendResult(origin()));
