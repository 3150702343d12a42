import { expect, test } from "vitest";
import { chunkSize } from "./chunk-size.ts";
import { uploadUrl } from "./upload-url.ts";

const path = "/upload/v1beta/files?upload_id=a&upload_protocol=resumable";

test.each([
  [`https://service.example${path}`, "https://service.example", `https://service.example${path}`],
  [`https://elsewhere.example${path}`, "https://service.example", `https://service.example${path}`],
  [`https://elsewhere.example${path}`, "http://gate.example/gemini", `http://gate.example/gemini${path}`],
  [`http://gate.example/gemini${path}`, "http://gate.example/gemini", `http://gate.example/gemini${path}`],
  [`https://user:pass@service.example${path}`, "https://service.example", `https://service.example${path}`],
  [path, "https://service.example", `https://service.example${path}`],
  [`https://elsewhere.example${path}&key=secret`, "https://service.example", `https://service.example${path}`],
  [
    "https://service.example/upload?key=secret&upload_id=a%2Fb+c",
    "https://service.example",
    "https://service.example/upload?upload_id=a%2Fb+c",
  ],
  ["https://service.example/upload?key=secret", "https://service.example", "https://service.example/upload"],
  ["https://service.example/upload?KEY", "https://service.example", "https://service.example/upload"],
  ["http://[", "https://service.example", null],
  ["", "https://service.example", null],
  [undefined, "https://service.example", null],
])("the upload URL %s keeps the origin of %s", (given, baseUrl, url) => {
  expect(uploadUrl(given, baseUrl)).toBe(url);
});

test.each([
  [undefined, 8_388_608],
  ["8388608", 8_388_608],
  ["262144", 8_388_608],
  ["3000000", 6_000_000],
  ["16777216", 16_777_216],
  ["0", 8_388_608],
  ["-1", 8_388_608],
  ["many", 8_388_608],
])("with the granularity %s a chunk has %i bytes", (granularity, size) => {
  expect(chunkSize(granularity)).toBe(size);
});
