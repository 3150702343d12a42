import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Ajv } from "ajv";
import { clipSchema } from "../calls.ts";
import { answerTasks } from "../script.ts";
import { repeat } from "../times.ts";

// The bare script: a process that does the work of the service without anything around it. It runs as many jobs as its
// parent asks for, some at once, and answers with their times in milliseconds.
const [providerUrl = "", ffprobe = "", clip = ""] = process.argv.slice(2);
const validate = new Ajv().compile(clipSchema);

type File = { name: string; uri: string; state: string };

/** The model that the service asks first, by default. */
const model = "gemini-3.5-flash-lite";
const headers = { "x-goog-api-key": "key-for-the-emulator" };
const json = { ...headers, "content-type": "application/json" };
// The same as the service's first pause.
const pollMs = 250;

answerTasks(({ jobs, inFlight }: { jobs: number; inFlight: number }) => repeat(runJob, jobs, inFlight));

async function runJob(): Promise<void> {
  await probe();
  let file = await upload();
  while (file.state === "PROCESSING") {
    await sleep(pollMs);
    file = (await ask(`${providerUrl}/v1beta/${file.name}`, { headers })) as File;
  }
  const answer = await generate(file);
  if (!validate(JSON.parse(answer))) throw new Error(`The answer does not conform: ${answer}`);
  await ask(`${providerUrl}/v1beta/${file.name}`, { method: "DELETE", headers });
}

async function probe(): Promise<void> {
  const options = ["-v", "error", "-show_format", "-show_streams", "-of", "json"];
  const { stdout } = await promisify(execFile)(ffprobe, [...options, clip]);
  const { format } = JSON.parse(stdout) as { format: { duration: string } };
  if (!(Number(format.duration) > 0)) throw new Error("ffprobe finds no duration.");
}

async function upload(): Promise<File> {
  const bytes = await readFile(clip);
  const started = await fetch(`${providerUrl}/upload/v1beta/files`, {
    method: "POST",
    headers: {
      ...json,
      "x-goog-upload-protocol": "resumable",
      "x-goog-upload-command": "start",
      "x-goog-upload-header-content-length": String(bytes.length),
      "x-goog-upload-header-content-type": "video/mp4",
    },
    body: JSON.stringify({ file: { display_name: "clip" } }),
  });
  await started.text();
  const uploaded = await ask(String(started.headers.get("x-goog-upload-url")), {
    method: "POST",
    headers: { ...headers, "x-goog-upload-command": "upload, finalize", "x-goog-upload-offset": "0" },
    body: bytes,
  });
  return (uploaded as { file: File }).file;
}

async function generate({ uri }: File): Promise<string> {
  const prompt = "Extract the data that the schema describes from the video.";
  const body = {
    store: false,
    contents: [{ role: "user", parts: [{ fileData: { fileUri: uri, mimeType: "video/mp4" } }, { text: prompt }] }],
    generationConfig: { responseMimeType: "application/json", responseJsonSchema: clipSchema },
  };
  const url = `${providerUrl}/v1beta/models/${model}:generateContent`;
  const reply = await ask(url, { method: "POST", headers: json, body: JSON.stringify(body) });
  const { candidates } = reply as { candidates: { content: { parts: { text: string }[] } }[] };
  return candidates[0]?.content.parts.map(({ text }) => text).join("") ?? "";
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`The provider answers ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
