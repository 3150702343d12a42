import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { failed, succeeded } from "./create-server.ts";

const id = "6f7c1c2e-0000-4000-8000-000000000000";
const messageOf = ({ content: [first] }: ReturnType<typeof failed>) =>
  (JSON.parse(first?.type === "text" ? first.text : "") as { error: { message: string } }).error.message;

test("a result without a job and without an error has no empty `_meta`", () => {
  expect(succeeded({ text: '{"extractions":[]}' }, undefined, { mark: "here" })).toEqual({
    content: [{ type: "text", text: '{"extractions":[]}' }],
    structuredContent: { here: 0 },
  });
});

test("the message of a failure names its job once", () => {
  const late = new Problem("provider_unavailable", { reason: "No answer came in time." });
  expect(messageOf(failed(late, { id, isReplayed: false }))).toMatch(new RegExp(`charged\\. The job is ${id}\\.$`));
  expect(messageOf(failed(late, undefined))).toBe(late.message);
  const unreadable = new Problem("internal_error", { reason: "The result cannot be read right now.", jobId: id });
  const message = messageOf(failed(unreadable, { id, isReplayed: false }));
  expect(message.split(id)).toHaveLength(2);
  expect(message).toContain("recent_extractions with this id");
});
