import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { type Service, startService } from "@video-to-json/stack/service";
import { freePort, repositoryRoot } from "@video-to-json/testing";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const packageRoot = join(repositoryRoot, "packages/sdk");

let directory: string;
let tarball: string;
let project: string;
let service: Service;
let port: number;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "v2j-package-"));
  await run("pnpm", ["pack", "--pack-destination", directory], { cwd: packageRoot });
  const [packed = ""] = await readdir(directory);
  tarball = join(directory, packed);
  project = join(directory, "example");
  await installExample();
  port = await freePort();
  service = await startService({ env: { FETCH_ALLOW_HOSTS: `127.0.0.1:${port}` } });
}, 240_000);
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

/** Copies the example out of the repository and installs the packed package in it. The compiler is the repository's. */
async function installExample(): Promise<void> {
  await cp(join(repositoryRoot, "examples/typescript"), project, {
    recursive: true,
    filter: (path) => !/node_modules|dist/.test(path.slice(repositoryRoot.length)),
  });
  const manifest = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  const installed = { ...manifest, dependencies: { "video-to-json": `file:${tarball}` }, devDependencies: {} };
  await writeFile(join(project, "package.json"), JSON.stringify(installed));
  await run("pnpm", ["install", "--offline", "--ignore-workspace"], { cwd: project });
}

function compile(compiler: string, ...more: string[]) {
  const types = join(packageRoot, "node_modules/@types");
  return run(compiler, ["-p", project, "--typeRoots", types, ...more], { cwd: project });
}

function start(source: string, apiKey = service.apiKey) {
  const env = { PATH: process.env.PATH ?? "", VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: apiKey };
  return run(process.execPath, ["dist/main.js", source], { cwd: project, env });
}

test("publint and attw find no fault in the package", async () => {
  const bytes = new Uint8Array(await readFile(tarball));
  expect(await checkPackage(createPackageFromTarballData(bytes))).toMatchObject({
    types: { kind: "included" },
    problems: [],
  });
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

test("the package contains code, types, maps, README, license and the change log of its version, no tests and no dependencies", async () => {
  const { stdout } = await run("tar", ["-tzf", tarball]);
  const files = stdout.trim().split("\n");
  expect(files).toEqual(
    expect.arrayContaining([
      "package/README.md",
      "package/LICENSE",
      "package/CHANGELOG.md",
      "package/dist/esm/index.js.map",
    ]),
  );
  expect(files.filter((file) => /test|\.tsbuildinfo|tsconfig/.test(file))).toEqual([]);
  const installed = JSON.parse(await readFile(join(project, "node_modules/video-to-json/package.json"), "utf8"));
  expect([installed.dependencies, installed.peerDependencies]).toEqual([undefined, undefined]);
  const changes = await readFile(join(project, "node_modules/video-to-json/CHANGELOG.md"), "utf8");
  expect(/^## (.+)$/m.exec(changes)?.[1]).toBe(installed.version);
});

test("import and require load the same names", async () => {
  const print = "console.log(Object.keys(m).sort().join())";
  const errors = ["VideoToJsonConnectionError", "VideoToJsonError", "VideoToJsonParseError"];
  const names = [...errors, "createClient", ...errors.map((name) => `is${name}`)].join();
  const esm = await run(process.execPath, ["-e", `import("video-to-json").then((m) => ${print})`], { cwd: project });
  const required = ["--input-type=commonjs", "-e", `const m = require("video-to-json"); ${print}`];
  const cjs = await run(process.execPath, required, { cwd: project });
  expect([esm.stdout.trim(), cjs.stdout.trim(), esm.stderr + cjs.stderr]).toEqual([names, names, ""]);
});

test("the example compiles on the packed types with TypeScript 7 and 5.9, and runs on a file and on a URL", async () => {
  await compile(join(packageRoot, "node_modules/.bin/tsc"), "--noEmit");
  await compile(join(repositoryRoot, "node_modules/.bin/tsc"));
  const file = await start(service.video);
  expect(file.stdout).toMatch(/^A video: mostly red, with sound; cut at 00:04\.\nJob [0-9a-f-]{36} cost 60 s; 29 /);
  expect(file.stderr).toMatch(/^0 of \d+ bytes sent\n/);
  const clip = await readFile(service.video);
  const server = createServer((_request, response) => response.end(clip)).listen(port, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = await start(`http://127.0.0.1:${port}/clip.mp4`);
    expect(url.stdout).toMatch(/^A video: mostly red.*\n.*; 28 minutes are left\.\n$/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}, 240_000);

test("the example explains a refused key, and misuse of the data does not compile", async () => {
  const refused = await start(service.video, "v2j_live_wrong").catch((error) => error);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toMatch(/unauthorised: /);
  const misuse =
    'import type { Scenes } from "./scenes.ts";\nexport const wrong = (scenes: Scenes) => scenes.title.length;\n';
  await writeFile(join(project, "src/misuse.ts"), misuse);
  const { stdout } = await compile(join(repositoryRoot, "node_modules/.bin/tsc"), "--noEmit").catch((error) => error);
  expect(stdout).toMatch(/misuse\.ts.*'scenes\.title' is possibly 'undefined'/);
});
