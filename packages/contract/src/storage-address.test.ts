import { expect, test } from "vitest";
import { parseStorageUrl } from "./storage-address.ts";

const s3 = { kind: "s3", bucket: "videos", prefix: "", endpoint: undefined, region: undefined, pathStyle: false };

test.each([
  ["file:///var/lib/storage", { kind: "directory", url: "file:///var/lib/storage" }],
  ["s3://videos", s3],
  ["s3://videos/", s3],
  ["s3://videos?region=eu-central-1", { ...s3, region: "eu-central-1" }],
  ["s3://videos/a", { ...s3, prefix: "a/" }],
  ["s3://videos/a/b/", { ...s3, prefix: "a/b/" }],
  ["s3://My_old.bucket/a", { ...s3, bucket: "My_old.bucket", prefix: "a/" }],
  ["s3://videos?endpoint=http://minio:9000", { ...s3, endpoint: "http://minio:9000", pathStyle: true }],
  [
    "s3://videos/a/?endpoint=http%3A%2F%2F%5B%3A%3A1%5D%3A9000",
    { ...s3, prefix: "a/", endpoint: "http://[::1]:9000", pathStyle: true },
  ],
  [
    "s3://videos?endpoint=https://s3.example.com&path-style=false&region=r1",
    { ...s3, endpoint: "https://s3.example.com", region: "r1" },
  ],
  ["s3://videos?path-style=true&region=&endpoint=", { ...s3, pathStyle: true }],
  ["s3://videos?encryption=AES256", { ...s3, encryption: { algorithm: "AES256", keyId: undefined } }],
  [
    "s3://videos?encryption=aws:kms&encryption-key=arn:aws:kms:eu-1:1:key/a-b",
    { ...s3, encryption: { algorithm: "aws:kms", keyId: "arn:aws:kms:eu-1:1:key/a-b" } },
  ],
])("%s is understood", (url, address) => {
  expect(parseStorageUrl(url)).toEqual(address);
});

test.each([
  ["https://example.com/x", "a https: URL is not supported"],
  ["/a/path", "a malformed URL is not supported"],
  ["", "a malformed URL is not supported"],
  ["file://host/dir", "a file: URL is not supported"],
  ["file:///dir?x=1", "a file: URL is not supported"],
  ["s3:///prefix", "names no valid bucket"],
  ["s3://x", "names no valid bucket"],
  ["s3://videos:9000/x", "has a port"],
  ["s3://key:word@videos", "has credentials"],
  ["s3://videos#x", "has a fragment"],
  ["s3://videos?encryption=kms", "has an `encryption` that is not AES256, aws:kms, aws:kms:dsse"],
  ["s3://videos?encryption=AES256&encryption-key=a", "has an `encryption-key` without `encryption=aws:kms`"],
  ["s3://videos?endpont=http://a", "has the unknown parameter `endpont`"],
  ["s3://videos?region=a&region=b", "has the parameter `region` twice"],
  ["s3://videos?endpoint=minio:9000", "has an `endpoint` that is not"],
  ["s3://videos?endpoint=http://u:p@minio", "has an `endpoint` that is not"],
  ["s3://videos?path-style=yes", "neither true nor false"],
  ["s3://videos?region=eu central", "invalid `region`"],
  ["s3://videos/a//b", "has a prefix"],
  ["s3://videos/a%00b", "has a prefix"],
])("%s is refused, and the error says why and what to write", (url, reason) => {
  expect(() => parseStorageUrl(url)).toThrow(reason);
  expect(() => parseStorageUrl(url)).toThrow("Use file:///an/absolute/directory or s3://bucket/prefix?endpoint=");
});

test("an error quotes no part of the URL", () => {
  expect(() => parseStorageUrl("s3://key:word@videos/hidden")).toThrow(/^(?!.*(word|hidden))/s);
});
