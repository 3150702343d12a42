import { expect, test } from "vitest";
import { recentBytes } from "./read-multipart-fields.ts";

/** A chunk with its own memory, as a body's chunks have. */
const chunkOf = (text: string) => Buffer.from(new TextEncoder().encode(text).buffer);

test("the memory of a whole chunk that is no longer needed is freed at once, and the other chunks stay", () => {
  const recent = recentBytes(100);
  const [first, video, last] = [chunkOf("first"), chunkOf("video"), chunkOf("last")];
  for (const chunk of [first, video, last]) recent.add(chunk);
  recent.free(video);
  expect(video).toHaveLength(0);
  expect(recent.contain("first")).toBe(true);
  expect(recent.contain("last")).toBe(true);
});

test("a chunk in which another part may begin keeps its memory", () => {
  const recent = recentBytes(100);
  const chunk = chunkOf("video\r\n--b\r\nschema");
  recent.add(chunk);
  recent.free(chunk.subarray(0, 5));
  expect(recent.contain("schema")).toBe(true);
});

test("freed chunks do not shorten the remembered bytes", () => {
  const recent = recentBytes(10);
  for (let n = 0; n < 5; n++) {
    const video = chunkOf("0123456789");
    recent.add(video);
    recent.free(video);
  }
  recent.add(chunkOf("schema"));
  recent.add(chunkOf("1234"));
  expect(recent.contain("schema1234")).toBe(true);
});
