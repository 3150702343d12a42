import { execFile } from "node:child_process";
import { access, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { runsAllTests } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));

// A package is packed for a release only, because packing takes ten seconds.
const testPackage = test.runIf(runsAllTests);

let service: BorrowedService;
let directory: string;
beforeAll(async () => {
  service = await borrowService();
  directory = await mkdtemp(join(tmpdir(), "v2j-package-"));
  const built = join(directory, "build");
  const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, PATH: path, npm_config_update_notifier: "false" };
  const run = (command: string, args: string[]) => promisify(execFile)(command, args, { cwd: directory, env });
  await run(join(packageRoot, "node_modules/.bin/rolldown"), [
    "-c",
    join(packageRoot, "rolldown.config.ts"),
    "-d",
    built,
  ]);
  const { stdout } = await run("npm", ["pack", built, "--silent"]);
  await run("npm", ["install", "--global", "--prefix", directory, "--offline", "--silent", stdout.trim()]);
});
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

testPackage(
  "the package has no dependencies, contains its license and theirs, but no sources, tests or settings",
  async () => {
    const installed = join(directory, "lib/node_modules/@video-to-json/cli");
    const files = ["CHANGELOG.md", "LICENSE", "README.md", "dist", "licences.md", "package.json"];
    expect((await readdir(installed)).sort()).toEqual(files);
    expect(await readFile(join(installed, "licences.md"), "utf8")).toMatch(/^## commander .*\(MIT\)\n\n.*Copyright/ms);
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect([manifest.dependencies, manifest.bin]).toEqual([undefined, { "video-to-json": "dist/main.js" }]);
    await expect(access(join(installed, "node_modules"))).rejects.toThrow();
    expect((await readdir(join(installed, "dist"))).filter((name) => !name.endsWith(".js"))).toEqual([]);
  },
);

testPackage("the installed package shows its help and version, checks a schema, extracts and lists", async () => {
  expect((await installed(["--help"])).stdout).toMatch(/^Usage: video-to-json/);
  expect((await installed(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const invalid = await installed(["check-schema", '{"a":null}']).catch((error: Error) => error);
  expect(invalid).toMatchObject({ code: 4, stderr: expect.stringContaining("/a: null") });
  const pattern = '{"type":"object","properties":{"a":{"pattern":"^(a)\\\\1$"}}}';
  expect((await installed(["check-schema", pattern, "--json"])).stdout).toBe(`${pattern}\n`);
  const { stdout } = await installed(["extract", service.video, "-s", '{"10":"red|blue","2":0}', "--json"]);
  expect(stdout).toMatch(/"data":\{"10":"\w+","2":\d+\}/);
  expect((await installed(["jobs"])).stdout).toContain(JSON.parse(stdout).id);
  expect((await installed(["jobs", "--jq", ".[0].billed_seconds"])).stdout).toBe("60\n");
});

function installed(words: string[], more: Record<string, string> = {}) {
  const env = { VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: service.apiKey, HOME: directory, ...more };
  return promisify(execFile)(process.execPath, [join(directory, "bin/video-to-json"), ...words], { env });
}
