import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { blockFaults } from "./block-faults.ts";
import { type Block, blocksOf, documentPaths, readBlocks } from "./blocks.ts";
import { openReader } from "./reader.ts";
import { settingOf, withNames } from "./settings.ts";

function read(path: string): string | undefined {
  try {
    return readFileSync(join(repositoryRoot, path), "utf8");
  } catch {
    return undefined;
  }
}

test("every block of code in the documents runs in a test, or its mark says why not", () => {
  const blocks = documentPaths().flatMap(blocksOf);
  expect(blocks.length).toBeGreaterThan(100);
  expect(blocks.flatMap((block) => blockFaults(block, read))).toEqual([]);
});

test("each package that a document installs from the service has the version of the clients", () => {
  const { version } = JSON.parse(read("packages/sdk/package.json") ?? "");
  const installed = documentPaths().flatMap((path) => [
    ...(read(path) ?? "").matchAll(/docs\/packages\/video[\w-]*?-(\d+\.\d+\.\d+)/g),
  ]);
  expect(installed.length).toBeGreaterThan(8);
  expect(new Set(installed.map(([, found]) => found))).toEqual(new Set([version]));
});

const file = (path: string) => (path === "a.test.ts" ? 'read("docs/page.md")' : undefined);

test.each<[string, string, string | undefined]>([
  ["a block without a language", "```\nls\n```", "needs a mark"],
  ["a block of configuration without a mark", "```yaml\na: 1\n```", "needs a mark"],
  ["a reason that is not allowed", "<!-- not run: later -->\n```sh\nls\n```", "“later” is not one of"],
  ["an unknown mark", "<!-- skip -->\n```sh\nls\n```", "is not a mark"],
  ["a test that does not exist", "<!-- run by b.test.ts -->\n```sh\nls\n```", "does not read"],
  ["broken JSON", '```json\n{"a": …}\n```', "is not JSON"],
  ["a test that names the document", "<!-- run by a.test.ts -->\n```yaml\na: 1\n```", undefined],
  ["an allowed reason", "<!-- not run: needs Docker -->\n```sh\ndocker ps\n```", undefined],
  ["a JSON value in each line", '```json\n{"a": "string"}\n{"a": "x"}\n```', undefined],
  ["a command without a mark, which runs", "```sh\nls\n```", undefined],
  ["an indented block", "- a\n  ```sh\n  ls\n  ```", undefined],
])("%s", (_name, markdown, fault) => {
  const blocks = readBlocks("docs/page.md", `# Page\n\n${markdown}\n`);
  expect(blocks).toHaveLength(1);
  const faults = blocks.flatMap((block: Block) => blockFaults(block, file));
  expect(faults).toEqual(fault === undefined ? [] : [expect.stringContaining(fault)]);
});

const flags = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions"];
const target = ["--target", "esnext", "--module", "nodenext", "--types", "node"];

test("the compiler accepts every block of TypeScript in the documents", async () => {
  const nowhere = { baseUrl: "", apiKey: "", operator: {}, video: "", jobId: "", videoUrl: () => "" };
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
