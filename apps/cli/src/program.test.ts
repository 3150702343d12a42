import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { runHere } from "./testing/run-here.ts";

const read = (path: string) => readFile(new URL(path, import.meta.url), "utf8");

test("--version prints the version of package.json, which is the newest in the change log", async () => {
  const { version } = JSON.parse(await read("../package.json")) as { version: string };
  expect(await runHere(["--version"], {})).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  expect(/^## (.+)$/m.exec(await read("../CHANGELOG.md"))?.[1]).toBe(version);
});
