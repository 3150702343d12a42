import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { credentialsPath, readCredentials, removeCredentials, writeCredentials } from "./credentials-file.ts";

const login = { url: "https://api.example.com", apiKey: "v2j_live_x" };
let home: string;
let path: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "v2j-login-"));
  path = credentialsPath({ env: {}, platform: "linux", home });
});
afterEach(() => rm(home, { recursive: true }));

test("the saved login is in the platform's settings directory", () => {
  const place = { env: {}, platform: "linux", home: "/home/ada" } as const;
  expect(credentialsPath(place)).toBe("/home/ada/.config/video-to-json/credentials.json");
  expect(credentialsPath({ ...place, env: { XDG_CONFIG_HOME: "/x" } })).toBe("/x/video-to-json/credentials.json");
  expect(credentialsPath({ ...place, env: { XDG_CONFIG_HOME: "x" } })).toContain("/home/ada/.config/");
  expect(credentialsPath({ ...place, platform: "win32", env: { APPDATA: "/roaming" } })).toBe(
    "/roaming/video-to-json/credentials.json",
  );
});

test("a saved login is read back, is private, and leaves no temporary file", async () => {
  await writeCredentials(path, login);
  expect(await readCredentials(path)).toEqual(login);
  expect(await modes()).toEqual([0o600, 0o700]);
  await writeCredentials(path, { ...login, apiKey: "other" });
  expect(await readCredentials(path)).toEqual({ ...login, apiKey: "other" });
  expect(await readdir(dirname(path))).toEqual(["credentials.json"]);
});

test("a file and a directory that others can read become private", async () => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify({ url: login.url, api_key: login.apiKey }));
  await chmod(path, 0o644);
  await chmod(dirname(path), 0o755);
  expect(await readCredentials(path)).toEqual(login);
  expect((await modes())[0]).toBe(0o600);
  await chmod(path, 0o644);
  await writeCredentials(path, login);
  expect(await modes()).toEqual([0o600, 0o700]);
});

test("a missing login is not an error, also when it is deleted", async () => {
  expect(await readCredentials(path)).toBeUndefined();
  expect(await removeCredentials(path)).toBe(false);
  await writeCredentials(path, login);
  expect(await removeCredentials(path)).toBe(true);
  expect(await readCredentials(path)).toBeUndefined();
});

test.for(["", "{", "null", "[]", '{"url":"https://x"}', '{"url":1,"api_key":2}'])(
  "a damaged login (%j) says to log in again",
  async (text) => {
    await writeCredentials(path, login);
    await writeFile(path, text);
    await expect(readCredentials(path)).rejects.toMatchObject({
      exitCode: 3,
      message: expect.stringMatching(/login` again/),
    });
  },
);

test("a failed save says so without the key and changes nothing", async () => {
  await writeFile(join(home, ".config"), "in the way");
  await expect(writeCredentials(path, login)).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/cannot be saved/),
  });
  await expect(writeCredentials(path, login)).rejects.not.toMatchObject({ message: expect.stringMatching(/v2j_live/) });
  expect(await readFile(join(home, ".config"), "utf8")).toBe("in the way");
});

async function modes(): Promise<number[]> {
  return [(await stat(path)).mode & 0o777, (await stat(dirname(path))).mode & 0o777];
}
