import { createTestDatabase } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { runHere } from "./testing/run-here.ts";
import { runCli } from "./testing/start-cli.ts";

test("a process that succeeds prints its result and exits with 0", async () => {
  const { url, drop } = await createTestDatabase();
  const ended = await runCli(["admin", "migrate"], { DATABASE_URL: url });
  expect(ended).toEqual({ code: 0, stdout: "The database is up to date.\n", stderr: "" });
  await drop();
});

test("a process that fails prints the error without a stack and exits with its code", async () => {
  const { code, stdout, stderr } = await runCli(["job", "x"], { VIDEO_TO_JSON_URL: "http://127.0.0.1:1" });
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(/^error \(unauthorised\): /);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.for([
  [
    "a database that does not answer",
    ["admin", "migrate"],
    { DATABASE_URL: "postgres://u:geheim@127.0.0.1:1/x" },
    /DATABASE_URL/,
  ],
  ["a missing setting", ["admin", "migrate"], {}, /DATABASE_URL.*is required/],
  ["an invalid setting", ["admin", "migrate"], { DATABASE_URL: "mysql://u:geheim@h/x" }, /postgres:\/\//],
  ["a missing option", ["admin", "key", "create"], {}, /--account/, 2],
  ["an unknown command", ["admin", "frobnicate"], {}, /unknown command/, 2],
  ["no command", [], {}, /Usage: video-to-json/, 2],
  ["no operator command", ["admin", "key"], {}, /Usage: video-to-json admin key/, 2],
] as const)(
  "%s: standard error says what to do, without a stack or a secret",
  async ([, words, env, text, exitCode = 1]) => {
    const { code, stdout, stderr } = await runHere(words, env);
    expect(code).toBe(exitCode);
    expect(stdout).toBe("");
    expect(stderr).toMatch(text);
    expect(stderr).not.toMatch(/^ +at |geheim/m);
  },
);

test.for(["--help", "extract --help", "admin --help", "admin key --help"])(
  "%s prints the help to standard output with exit code 0",
  async (words) => {
    const { code, stdout, stderr } = await runHere(words.split(" "), {});
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: video-to-json /);
  },
);
