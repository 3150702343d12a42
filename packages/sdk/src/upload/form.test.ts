import { expect, test } from "vitest";
import { toForm } from "./form.ts";

const file = {
  fileName: "clip.mp4",
  size: 3,
  isUsedUp: () => false,
  read: async () => new Uint8Array(3),
  close: async () => {},
};

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

test("a form has its announced length each time it is sent, and skips undefined fields", async () => {
  const form = toForm({ schema: "{}", instructions: undefined, video_url: "é" }, file);
  for (const body of [form.body({}), form.body({})]) {
    const text = await textOf(body.stream);
    expect(Buffer.byteLength(text)).toBe(Number(form.headers["content-length"]));
    expect(text.match(/ name="[^"]*"/g)).toEqual([' name="schema"', ' name="video_url"', ' name="video"']);
    expect([body.isSent(), body.readError()]).toEqual([true, undefined]);
  }
});

test("a reader that leaves while the file is read is not a read error", async () => {
  let deliver = (_chunk: Uint8Array) => {};
  const delivered = new Promise<Uint8Array>((resolve) => {
    deliver = resolve;
  });
  const events = new EventTarget();
  const reading = new Promise((resolve) => events.addEventListener("read", resolve));
  const read = () => {
    events.dispatchEvent(new Event("read"));
    return delivered;
  };
  const body = toForm({}, { ...file, read }).body({});
  const reader = body.stream.getReader();
  await reader.read();
  const pending = reader.read();
  await reading;
  await reader.cancel();
  deliver(new Uint8Array(3));
  await pending;
  await new Promise((resolve) => setImmediate(resolve));
  expect([body.isSent(), body.readError()]).toEqual([false, undefined]);
});

test("a read error of the file ends the stream and is in readError", async () => {
  const broken = new Error("disk");
  const body = toForm({}, { ...file, read: () => Promise.reject(broken) }).body({});
  await expect(textOf(body.stream)).rejects.toThrow();
  expect(body.readError()).toBe(broken);
});

test("a stopped form reads no more of its file", async () => {
  let reads = 0;
  const read = async () => {
    reads += 1;
    return new Uint8Array(1);
  };
  const body = toForm({}, { ...file, read }).body({});
  const reader = body.stream.getReader();
  await reader.read();
  await reader.read();
  body.stop();
  await expect(reader.read()).rejects.toThrow();
  expect([reads, body.readError()]).toEqual([1, undefined]);
});

test("a form that is stopped before its file calls no listener", async () => {
  const sent: number[] = [];
  const state = { body: undefined as ReturnType<ReturnType<typeof toForm>["body"]> | undefined };
  const beforeFile = async () => state.body?.stop();
  state.body = toForm({}, file).body({ beforeFile, onSent: (bytes) => void sent.push(bytes) });
  await expect(textOf(state.body.stream)).rejects.toThrow();
  expect([sent, state.body.readError()]).toEqual([[], undefined]);
});
