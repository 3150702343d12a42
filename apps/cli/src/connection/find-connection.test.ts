import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { credentialsPath, writeCredentials } from "./credentials-file.ts";
import { findConnection, isUnencrypted, validateAddress, validateKey } from "./find-connection.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "v2j-connection-"));
});
afterEach(() => rm(home, { recursive: true }));

const saved = { baseUrl: "https://api.example.com/base", apiKey: "saved" };
const from = (env: Record<string, string>, options: { url?: string } = {}) =>
  findConnection({ env, platform: "linux", home }, options);
const save = () =>
  writeCredentials(credentialsPath({ env: {}, platform: "linux", home }), { url: saved.baseUrl, apiKey: saved.apiKey });

test("a missing key gets a message that says how to get one", async () => {
  const error = {
    exitCode: 3,
    code: "unauthorised",
    message: expect.stringMatching(/video-to-json login.*VIDEO_TO_JSON_API_KEY/),
  };
  await expect(from({})).rejects.toMatchObject(error);
  await expect(from({ VIDEO_TO_JSON_API_KEY: " ", VIDEO_TO_JSON_URL: "https://x" })).rejects.toMatchObject(error);
});

test("a key without an address is wrong usage", async () => {
  await expect(from({ VIDEO_TO_JSON_API_KEY: "k" })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(/--url/),
  });
});

test("the option takes precedence over the environment, and that over the saved login", async () => {
  await save();
  expect(await from({})).toEqual(saved);
  const env = { VIDEO_TO_JSON_API_KEY: "k\n", VIDEO_TO_JSON_URL: "http://localhost:3000/" };
  expect(await from(env)).toEqual({ baseUrl: "http://localhost:3000", apiKey: "k" });
  expect(await from(env, { url: "https://other.example" })).toEqual({ baseUrl: "https://other.example", apiKey: "k" });
  expect(await from({ VIDEO_TO_JSON_API_KEY: "k" })).toEqual({ baseUrl: saved.baseUrl, apiKey: "k" });
});

test("the saved key is only used for the address that it was saved with", async () => {
  await save();
  expect(await from({}, { url: "https://api.example.com" })).toMatchObject({ apiKey: "saved" });
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
  "%j is not an address",
  (text) => {
    expect(() => validateAddress(text)).toThrow(expect.objectContaining({ exitCode: 2 }));
  },
);

test("a key that does not fit in a header is refused without showing it", () => {
  expect(validateKey(" v2j_live_x \n")).toBe("v2j_live_x");
  for (const key of ["", "se cret", "secret\u0000", "sécret", "secret\nsecret", "s".repeat(501)]) {
    expect(() => validateKey(key)).toThrow(
      expect.objectContaining({ exitCode: 3, message: expect.not.stringMatching(/s.?cret/) }),
    );
  }
});

test("an http address of another machine is unencrypted", () => {
  const addresses = [
    "https://x",
    "http://localhost:1",
    "http://127.0.0.1",
    "http://[::1]:1",
    "http://x",
    "http://10.0.0.1",
  ];
  expect(addresses.map(isUnencrypted)).toEqual([false, false, false, false, true, true]);
});
