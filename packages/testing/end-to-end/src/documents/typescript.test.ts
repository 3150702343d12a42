import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { blocksOf, documentPaths } from "./documents.ts";
import { openReader } from "./reader.ts";
import { settingOf, withNames } from "./settings.ts";

const flags = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions"];
const target = ["--target", "esnext", "--module", "nodenext", "--types", "node"];

test("the compiler accepts every block of TypeScript in the documents", async () => {
  const nowhere = { baseUrl: "", apiKey: "", databaseUrl: "", video: "", jobId: "", videoUrl: () => "" };
  using reader = openReader(nowhere, { videos: [] }, "");
  const files = documentPaths().flatMap((path) =>
    blocksOf(path)
      .filter(({ language }) => language === "ts")
      .map(({ line, code }) => {
        const name = `${path.replaceAll(/[/.]/g, "-")}-${line}.mts`;
        writeFileSync(join(reader.directory, name), withNames(code, settingOf(path).names));
        return name;
      }),
  );
  expect(files.length).toBeGreaterThan(5);
  const compiler = join(repositoryRoot, "node_modules/.bin/tsc");
  const compiled = promisify(execFile)(compiler, [...flags, ...target, ...files], { cwd: reader.directory });
  expect(await compiled.then(({ stdout }) => stdout).catch(({ stdout }) => stdout)).toBe("");
});
