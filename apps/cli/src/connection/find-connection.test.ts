import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isUnprotected, judgeAddress } from "./address.ts";
import { judgeKey } from "./api-key.ts";
import { credentialsPath, writeCredentials } from "./credentials-file.ts";
import { findConnection } from "./find-connection.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "v2j-connection-"));
});
afterEach(() => rm(home, { recursive: true }));

const kept = { url: "https://api.example.com/base", apiKey: "kept" };
const from = (env: Record<string, string>, options: { url?: string } = {}) =>
  findConnection({ env, platform: "linux", home }, options);
const keep = () => writeCredentials(credentialsPath({ env: {}, platform: "linux", home }), kept);

test("without a key it says how to get one", async () => {
  const told = {
    exitCode: 3,
    code: "unauthorised",
    message: expect.stringMatching(/video-to-json login.*VIDEO_TO_JSON_API_KEY/),
  };
  await expect(from({})).rejects.toMatchObject(told);
  await expect(from({ VIDEO_TO_JSON_API_KEY: " ", VIDEO_TO_JSON_URL: "https://x" })).rejects.toMatchObject(told);
});

test("a key without an address is wrong usage", async () => {
  await expect(from({ VIDEO_TO_JSON_API_KEY: "k" })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/--url/),
  });
});

test("the flag goes before the environment, and that before the login", async () => {
  await keep();
  expect(await from({})).toEqual(kept);
  const env = { VIDEO_TO_JSON_API_KEY: "k\n", VIDEO_TO_JSON_URL: "http://localhost:3000/" };
  expect(await from(env)).toEqual({ url: "http://localhost:3000", apiKey: "k" });
  expect(await from(env, { url: "https://other.example" })).toEqual({ url: "https://other.example", apiKey: "k" });
  expect(await from({ VIDEO_TO_JSON_API_KEY: "k" })).toEqual({ url: kept.url, apiKey: "k" });
});

test("the key that is kept goes nowhere but to the address it was kept with", async () => {
  await keep();
  expect(await from({}, { url: "https://api.example.com" })).toMatchObject({ apiKey: "kept" });
  for (const url of [
    "https://api.example.com.evil.example",
    "http://api.example.com",
    "https://api.example.com:8443",
  ]) {
    await expect(from({}, { url })).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/belongs to/),
    });
    await expect(from({ VIDEO_TO_JSON_URL: url })).rejects.toMatchObject({ exitCode: 3 });
  }
});

test.for(["", "x", "ftp://x", "https://", "https://u:p@x", "https://u@x", "https://x?q", "https://x#f", "//x"])(
  "%j is no address",
  (text) => {
    expect(() => judgeAddress(text)).toThrow(expect.objectContaining({ exitCode: 2 }));
  },
);

test("a key that cannot stand in a header is refused without being repeated", () => {
  expect(judgeKey(" v2j_live_x \n")).toBe("v2j_live_x");
  for (const key of ["", "se cret", "secret\u0000", "sécret", "secret\nsecret", "s".repeat(501)]) {
    expect(() => judgeKey(key)).toThrow(
      expect.objectContaining({ exitCode: 3, message: expect.not.stringMatching(/s.?cret/) }),
    );
  }
});

test("an address that is neither encrypted nor on this machine is unprotected", () => {
  const addresses = [
    "https://x",
    "http://localhost:1",
    "http://127.0.0.1",
    "http://[::1]:1",
    "http://x",
    "http://10.0.0.1",
  ];
  expect(addresses.map(isUnprotected)).toEqual([false, false, false, false, true, true]);
});
