import type { SecondLookCounts } from "@video-to-json/contract";
import { claimJob, type Db, markCleanedUp, saveDuration } from "@video-to-json/database";
import { hold, settle } from "@video-to-json/database/money";

/** One event of a held call, or a comment (`name` is then `comment`), with the time since the call began. */
type ReceivedEvent = { name: string; data: string; ms: number };

const request = { schema: { a: "string" }, video_url: "http://127.0.0.1:1/v.mp4" };

/** `events` grows while they arrive; `text` resolves with the whole body, and rejects if the connection breaks. */
export async function openHeldCall(
  baseUrl: string,
  headers: Record<string, string>,
  {
    accept = "text/event-stream",
    signal,
    path = "/v1/extract",
    more = {},
  }: { accept?: string; signal?: AbortSignal; path?: string; more?: object } = {},
) {
  const start = performance.now();
  const response = await fetch(baseUrl + path, {
    method: "POST",
    headers: { "content-type": "application/json", accept, ...headers },
    body: JSON.stringify({ ...request, ...more }),
    ...(signal ? { signal } : {}),
  });
  const events: ReceivedEvent[] = [];
  const text = readEvents(response, (event) => events.push({ ...event, ms: performance.now() - start }));
  text.catch(() => {});
  return { response, events, text };
}

async function readEvents(response: Response, onEvent: (event: Omit<ReceivedEvent, "ms">) => void): Promise<string> {
  let text = "";
  let read = 0;
  for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    for (let end = text.indexOf("\n\n", read); end >= 0; end = text.indexOf("\n\n", read)) {
      onEvent(parseEvent(text.slice(read, end)));
      read = end + 2;
    }
  }
  return text;
}

function parseEvent(text: string): Omit<ReceivedEvent, "ms"> {
  const lines = text.split("\n");
  const field = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  return { name: field("event")[0] ?? (text.startsWith(":") ? "comment" : "none"), data: field("data").join("\n") };
}

/** Plays the worker: claims a job and settles it with an answer of a minute. */
export async function answerJob(
  db: Db,
  { id, accountId }: { id: string; accountId: string },
  dataText: string,
  evidenceText?: string,
  secondLook?: SecondLookCounts,
): Promise<void> {
  const effort = { attempts: 1, stages: {}, tokens: 0, dollars: 0, processorMs: 0, secondLook };
  const fence = (await claimJob(db, id))?.fence ?? 0;
  await saveDuration(db, { id, fence, durationMs: 60_000 });
  const claimed = { jobId: id, accountId, fence };
  await hold(db, { ...claimed, seconds: 60 });
  await settle(db, { ...claimed, dataText, evidenceText, model: "model", billedSeconds: 60, effort });
  await markCleanedUp(db, id);
}
