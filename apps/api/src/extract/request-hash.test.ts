import { expect, test } from "vitest";
import { requestHash } from "./admit-job.ts";
import type { ExtractRequest } from "./extract-request.ts";

function hashOf(schemaText: string, given: Partial<ExtractRequest> = {}): string {
  const schema = { kind: "sketch" as const, schemaText, fullText: "", lean: null, promptText: "" };
  const usual = { instructions: null, video: { url: "https://example.com/v.mp4" }, clip: null } as const;
  return requestHash({ id: "", schema, detail: "standard", ...usual, ...given });
}

const schemaText = '{"a":0.0,"b c":"one | two"}';

test("schemas that differ only in white space between tokens make identical requests", () => {
  expect(hashOf('{\n  "a": 0.0,\n  "b c": "one | two"\n}\n')).toBe(hashOf(schemaText));
});

test.each([
  ["another literal", '{"a":0,"b c":"one | two"}'],
  ["another order of keys", '{"b c":"one | two","a":0.0}'],
  ["white space in a value", '{"a":0.0,"b c":"one|two"}'],
  ["white space in a key", '{"a":0.0,"bc":"one | two"}'],
])("%s makes another request", (_name, other) => {
  expect(hashOf(other)).not.toBe(hashOf(schemaText));
});

test("instructions, URL, clip, detail, the bytes of the upload and the second look make different requests", () => {
  const upload = (sha256: string) => hashOf(schemaText, { video: { upload: { bytes: 1, sha256 } } });
  const all = [
    hashOf(schemaText),
    hashOf(schemaText, { instructions: "x" }),
    hashOf(schemaText, { video: { url: "https://example.com/w.mp4" } }),
    upload("aa"),
    upload("ab"),
    hashOf(schemaText, { video: { url: "aa" } }),
    hashOf(schemaText, { secondLook: "off" }),
    hashOf(schemaText, { secondLook: "times" }),
    hashOf(schemaText, { completeLists: "on" }),
    hashOf(schemaText, { clip: { startSeconds: 0, endSeconds: 60 } }),
    hashOf(schemaText, { clip: { startSeconds: 60, endSeconds: null } }),
    hashOf(schemaText, { detail: "low" }),
    hashOf(schemaText, { detail: "high" }),
    hashOf(schemaText, { clip: { startSeconds: 60, endSeconds: null }, detail: "high" }),
  ];
  expect(new Set(all).size).toBe(all.length);
});
