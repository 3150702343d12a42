import { expect, test } from "vitest";
import { toForm } from "./form.ts";

const file = { fileName: "clip.mp4", size: 3, read: async () => new Uint8Array(3), close: async () => {} };

async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  return new Response(stream).text();
}

test("a form is as long as it says, each time it is sent, and undefined fields are left out", async () => {
  const form = toForm({ schema: "{}", instructions: undefined, video_url: "é" }, file);
  for (const body of [form.body({}), form.body({})]) {
    const text = await textOf(body.stream);
    expect(Buffer.byteLength(text)).toBe(Number(form.headers["content-length"]));
    expect(text.match(/ name="[^"]*"/g)).toEqual([' name="schema"', ' name="video_url"', ' name="video"']);
    expect([body.isSent(), body.fault()]).toEqual([true, undefined]);
  }
});

test("a form whose reader goes away while the file is read has no fault of the file", async () => {
  let give = (_piece: Uint8Array) => {};
  const given = new Promise<Uint8Array>((resolve) => {
    give = resolve;
  });
  const events = new EventTarget();
  const reading = new Promise((resolve) => events.addEventListener("read", resolve));
  const read = () => {
    events.dispatchEvent(new Event("read"));
    return given;
  };
  const body = toForm({}, { ...file, read }).body({});
  const reader = body.stream.getReader();
  await reader.read();
  const pending = reader.read();
  await reading;
  await reader.cancel();
  give(new Uint8Array(3));
  await pending;
  await new Promise((resolve) => setImmediate(resolve));
  expect([body.isSent(), body.fault()]).toEqual([false, undefined]);
});

test("a file that cannot be read is the form's fault, and ends its sending", async () => {
  const broken = new Error("disk");
  const body = toForm({}, { ...file, read: () => Promise.reject(broken) }).body({});
  await expect(textOf(body.stream)).rejects.toThrow();
  expect(body.fault()).toBe(broken);
});

test("a form that is stopped reads no more of its file", async () => {
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
  expect([reads, body.fault()]).toEqual([1, undefined]);
});

test("a form that is stopped before its file tells of nothing any more", async () => {
  const told: number[] = [];
  const state = { body: undefined as ReturnType<ReturnType<typeof toForm>["body"]> | undefined };
  const beforeFile = async () => state.body?.stop();
  state.body = toForm({}, file).body({ beforeFile, onSent: (bytes) => void told.push(bytes) });
  await expect(textOf(state.body.stream)).rejects.toThrow();
  expect([told, state.body.fault()]).toEqual([[], undefined]);
});
