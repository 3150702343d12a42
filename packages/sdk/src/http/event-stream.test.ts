import { expect, test } from "vitest";
import { createEventParser, readEvents, type ServerEvent } from "./event-stream.ts";

const text = [
  ": waiting\n\n",
  'event: admitted\ndata: {"id":"a"}\n\n',
  "event:result\r\nretry: 5000\r\ndata:  one\r\ndata:two\r\n\r\n",
  "id: 7\rdata\r\rdata: ü: last\n\n",
  "event: never\ndata: ended",
].join("");
const events: ServerEvent[] = [
  { name: "admitted", data: '{"id":"a"}', retryMs: undefined },
  { name: "result", data: " one\ntwo", retryMs: 5000 },
  { name: "message", data: "", retryMs: undefined },
  { name: "message", data: "ü: last", retryMs: undefined },
];

async function read(chunks: Uint8Array[], silenceMs = 10_000): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = chunks.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
  for await (const event of readEvents(body, { silenceMs })) found.push(event);
  return found;
}

test("events are the same however the stream is cut into pieces, and a half event does not count", async () => {
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const chunks: Uint8Array[] = [];
    for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size));
    expect(await read(chunks)).toEqual(events);
  }
});

test("an event is returned as soon as its blank line arrives", () => {
  const parse = createEventParser();
  expect(parse("data: a\n")).toEqual([]);
  expect(parse("\n")).toMatchObject([{ data: "a" }]);
});

test("a silent connection counts as broken, and is cancelled", async () => {
  await new Promise<void>((resolve, reject) => {
    const body = new ReadableStream<Uint8Array>({ cancel: () => resolve() });
    const silent = readEvents(body, { silenceMs: 20 }).next();
    expect(silent).rejects.toThrow("silent for 0.02 s").catch(reject);
  });
});
