import { createClient, type Progress } from "video-to-json";
import { explain } from "./explain.ts";
import { describeScenes, scenes } from "./scenes.ts";

const [source] = process.argv.slice(2);
const { VIDEO_TO_JSON_API_KEY: apiKey, VIDEO_TO_JSON_URL: baseUrl } = process.env;
if (!source || !apiKey || !baseUrl) {
  console.error("VIDEO_TO_JSON_URL=… VIDEO_TO_JSON_API_KEY=… npm start -- <file or https address of a video>");
  process.exit(2);
}

const client = createClient({ apiKey, baseUrl });

function onProgress(progress: Progress): void {
  if (progress.stage === "uploading") console.error(`${progress.sentBytes} of ${progress.totalBytes} bytes sent`);
  if (progress.stage === "retrying") console.error(`${progress.reason.message} Next try in ${progress.delayMs} ms.`);
}

try {
  const video = /^https?:/.test(source) ? { videoUrl: source } : { video: source };
  const { id, data, billed_seconds } = await client.extract({ ...video, schema: scenes, onProgress });
  console.log(describeScenes(data));
  const { minutes_remaining } = await client.account();
  console.log(`Job ${id} cost ${billed_seconds} s; ${minutes_remaining} minutes are left.`);
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}
