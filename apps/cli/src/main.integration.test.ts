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
  ["a missing option", ["admin", "key", "create"], {}, /--account/],
  ["an unknown command", ["admin", "frobnicate"], {}, /unknown command/],
] as const)("%s: what to do on standard error, exit code 1, no stack and no secret", async ([, words, env, told]) => {
  const { code, stdout, stderr } = await run([...words], env);
  expect(code).toBe(1);
  expect(stdout).toBe("");
  expect(stderr).toMatch(told);
  expect(stderr).not.toMatch(/^ +at |geheim/m);
});

function run(words: string[], env: Record<string, string>) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [main, ...words], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, stdout, stderr });
    });
  });
}
