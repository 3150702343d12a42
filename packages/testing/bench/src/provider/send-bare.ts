import { createReadStream, statSync } from "node:fs";
import { request } from "node:http";
import { pipeline } from "node:stream/promises";
import { answerTasks } from "../processes/answer-tasks.ts";

// This file is the entry point of a process that pipes a file into the body of one request. The result is in
// milliseconds.
answerTasks(async ({ path, url }: { path: string; url: string }) => {
  const startedAt = performance.now();
  const headers = { "content-type": "video/mp4", "content-length": statSync(path).size };
  const sending = request(url, { method: "POST", headers });
  const answered = new Promise((resolve, reject) => {
    sending.once("error", reject).once("response", (response) => response.resume().once("end", resolve));
  });
  await pipeline(createReadStream(path), sending);
  await answered;
  return performance.now() - startedAt;
});
