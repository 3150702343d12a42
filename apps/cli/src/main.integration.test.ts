import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createTestDatabase } from "@video-to-json/testing";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

test("a command that succeeds says so on standard output and exits with 0", async () => {
  const { url, drop } = await createTestDatabase();
  const ended = await run(["admin", "migrate"], { DATABASE_URL: url });
  expect(ended).toEqual({ code: 0, stdout: "The database is up to date.\n", stderr: "" });
  await drop();
});

test.for([
  [
    "a database that does not answer",
    ["admin", "migrate"],
    { DATABASE_URL: "postgres://u:geheim@127.0.0.1:1/x" },
    /DATABASE_URL/,
  ],
  ["no setting", ["admin", "migrate"], {}, /DATABASE_URL.*is required/],
  ["a setting that is wrong", ["admin", "migrate"], { DATABASE_URL: "mysql://u:geheim@h/x" }, /postgres:\/\//],
  ["a missing option", ["admin", "key", "create"], {}, /--account/, 2],
  ["an unknown command", ["admin", "frobnicate"], {}, /unknown command/, 2],
  ["no command", [], {}, /Usage: video-to-json/, 2],
  ["no operator's command", ["admin", "key"], {}, /Usage: video-to-json admin key/, 2],
] as const)("%s: what to do on standard error, no stack and no secret", async ([, words, env, told, exitCode = 1]) => {
  const { code, stdout, stderr } = await run([...words], env);
  expect(code).toBe(exitCode);
  expect(stdout).toBe("");
  expect(stderr).toMatch(told);
  expect(stderr).not.toMatch(/^ +at |geheim/m);
});

test.for(["--help", "extract --help", "admin --help", "admin key --help", "--version"])(
  "%s is answered on standard output with exit code 0",
  async (words) => {
    const { code, stdout, stderr } = await run(words.split(" "), {});
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(words === "--version" ? /^\d+\.\d+\.\d+\n$/ : /^Usage: video-to-json /);
  },
);

function run(words: string[], env: Record<string, string>) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [main, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}
