import { expect, test } from "vitest";
import { runHere } from "./testing/run-here.ts";
import { runCli } from "./testing/start-cli.ts";

test("a process that succeeds prints its result and exits with 0", async () => {
  expect(await runCli(["--version"], {})).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
});

test("a process that fails prints the error without a stack and exits with its code", async () => {
  const { code, stdout, stderr } = await runCli(["job", "x"], { VIDEO_TO_JSON_URL: "http://127.0.0.1:1" });
  expect([code, stdout]).toEqual([3, ""]);
  expect(stderr).toMatch(/^error \(unauthorised\): /);
  expect(stderr).not.toMatch(/^ +at /m);
});

test.for([
  ["a missing argument", ["job"], {}, /missing required argument/, 2],
  ["an unknown command", ["frobnicate"], {}, /unknown command/, 2],
  ["no command", [], {}, /Usage: video-to-json/, 2],
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

test.for(["--help", "extract --help", "job --help"])(
  "%s prints the help to standard output with exit code 0",
  async (words) => {
    const { code, stdout, stderr } = await runHere(words.split(" "), {});
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: video-to-json /);
  },
);
