import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { readClip, readDetail } from "./extract-request.ts";

test.each([
  ['{"start":"01:00","end":"02:30"}', { startSeconds: 60, endSeconds: 150 }],
  ['{"start":"01:00"}', { startSeconds: 60, endSeconds: null }],
  [' {"end" : "59:59"}', { startSeconds: 0, endSeconds: 3599 }],
  ['{"start":"01:00","end":null}', { startSeconds: 60, endSeconds: null }],
])("a clip may have either bound or both: %s", (text, clip) => {
  expect(readClip(text)).toEqual(clip);
});

test.each([undefined, "", " ", "{}", '{"start":"00:00"}', '{"start":null,"end":null}'])(
  "a clip that is the whole video makes the same request as no clip: %s",
  (text) => {
    expect(readClip(text)).toBeNull();
  },
);

test.each([
  '{"start":"1:00"}',
  '{"start":"00:60"}',
  '{"start":"01:00:00"}',
  '{"start":60}',
  '{"start":"01:00","end":"01:00"}',
  '{"start":"02:00","end":"01:00"}',
  '{"end":"00:00"}',
  '{"start":"01:00","stop":"02:00"}',
  '{"start":"01:00","start":"02:00"}',
  '["01:00","02:00"]',
  '"01:00-02:00"',
  "01:00-02:00",
  "null",
])("a clip that cannot be understood is refused: %s", (text) => {
  expect(() => readClip(text)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  expect(() => readClip(text)).toThrow(Problem);
});

test("a detail is one of three words, and `standard` if none is sent", () => {
  expect([undefined, "", "low", "standard", "high"].map(readDetail)).toEqual([
    ...["standard", "standard", "low"],
    ...["standard", "high"],
  ]);
  for (const text of ["LOW", "medium", "0"]) expect(() => readDetail(text)).toThrow("`detail` is not one of the words");
});
