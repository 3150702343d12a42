import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { installRuntime, repositoryRoot, runsAllTests } from "@video-to-json/testing";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
// A package is packed for a release only, because packing takes twenty seconds.
const testPackage = test.runIf(runsAllTests);
const packageRoot = join(repositoryRoot, "packages/sdk");

let directory: string;
let tarball: string;
let project: string;
let service: BorrowedService;
let port: number;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "v2j-package-"));
  await run(join(repositoryRoot, "scripts/pack-clients"));
  const { version } = JSON.parse(await readFile(join(packageRoot, "package.json"), "utf8"));
  tarball = join(repositoryRoot, `.local/clients/video-to-json-${version}.tgz`);
  project = join(directory, "example");
  await installExample();
  service = await borrowService();
  port = service.sitePort;
});
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

/** Copies another example out of the repository and links the packed package and these tested versions into it. */
async function copyExample(name: string, ...dependencies: string[]): Promise<string> {
  const copy = join(directory, name);
  await cp(join(repositoryRoot, "examples", name), copy, { recursive: true });
  const link = async (dependency: string, root: string) => {
    const place = join(copy, "node_modules", dependency);
    await mkdir(dirname(place), { recursive: true });
    await symlink(await realpath(join(root, "node_modules", dependency)), place);
  };
  await link("video-to-json", project);
  for (const dependency of dependencies) await link(dependency, packageRoot);
  return copy;
}

function compile(compiler: string, ...more: string[]) {
  return compileIn(project, compiler, ...more);
}

function compileIn(root: string, compiler: string, ...more: string[]) {
  const types = join(packageRoot, "node_modules/@types");
  return run(compiler, ["-p", root, "--typeRoots", types, ...more], { cwd: root });
}

/** Runs a script in an example's folder, in the environment of a caller. */
function runIn(root: string, words: string[], apiKey = service.apiKey) {
  const env = { PATH: process.env.PATH ?? "", VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: apiKey };
  return run(process.execPath, words, { cwd: root, env });
}

/** Serves the short video to the service while `use` runs. */
async function withVideoUrl<T>(use: (url: string) => Promise<T>): Promise<T> {
  const clip = await readFile(service.video);
  const server = createServer((_request, response) => response.end(clip)).listen(port, "127.0.0.1");
  await once(server, "listening");
  try {
    return await use(`http://127.0.0.1:${port}/clip.mp4`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const start = (source: string, apiKey?: string) => runIn(project, ["dist/main.js", source], apiKey);

testPackage("publint and attw find no fault in the package", async () => {
  const bytes = new Uint8Array(await readFile(tarball));
  expect(await checkPackage(createPackageFromTarballData(bytes))).toMatchObject({
    types: { kind: "included" },
    problems: [],
  });
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});

testPackage(
  "the package contains code, types, maps, README, license and the change log of its version, no tests and no dependencies",
  async () => {
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
    const { dependencies, peerDependencies, devDependencies } = installed;
    expect([dependencies, peerDependencies, devDependencies]).toEqual([undefined, undefined, undefined]);
    const changes = await readFile(join(project, "node_modules/video-to-json/CHANGELOG.md"), "utf8");
    expect(/^## (.+)$/m.exec(changes)?.[1]).toBe(installed.version);
  },
);

testPackage("import and require load the same names", async () => {
  const print = "console.log(Object.keys(m).sort().join())";
  const errors = ["VideoToJsonConnectionError", "VideoToJsonError", "VideoToJsonParseError"];
  const names = [...errors, "createClient", ...errors.map((name) => `is${name}`)].join();
  const esm = await run(process.execPath, ["-e", `import("video-to-json").then((m) => ${print})`], { cwd: project });
  const required = ["--input-type=commonjs", "-e", `const m = require("video-to-json"); ${print}`];
  const cjs = await run(process.execPath, required, { cwd: project });
  expect([esm.stdout.trim(), cjs.stdout.trim(), esm.stderr + cjs.stderr]).toEqual([names, names, ""]);
});

testPackage(
  "the example compiles on the packed types with TypeScript 7 and 5.9, and runs on a file and on a URL",
  async () => {
    await compile(join(packageRoot, "node_modules/.bin/tsc"), "--noEmit");
    await compile(join(repositoryRoot, "node_modules/.bin/tsc"));
    const file = await start(service.video);
    expect(file.stdout).toMatch(/^A video: mostly red, with sound; cut at 00:04\.\nJob [0-9a-f-]{36} cost 60 s; 29 /);
    expect(file.stderr).toMatch(/^0 of \d+ bytes sent\n/);
    const url = await withVideoUrl(start);
    expect(url.stdout).toMatch(/^A video: mostly red.*\n.*; 28 minutes are left\.\n$/);
  },
  240_000,
);

testPackage("the example explains a refused key, and misuse of the data does not compile", async () => {
  const refused = await start(service.video, "v2j_live_wrong").catch((error) => error);
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toMatch(/unauthorised: /);
  const misuse =
    'import type { Scenes } from "./scenes.ts";\nexport const wrong = (scenes: Scenes) => scenes.title.length;\n';
  await writeFile(join(project, "src/misuse.ts"), misuse);
  const { stdout } = await compile(join(repositoryRoot, "node_modules/.bin/tsc"), "--noEmit").catch((error) => error);
  expect(stdout).toMatch(/misuse\.ts.*'scenes\.title' is possibly 'undefined'/);
});

testPackage(
  "the route handler of Next.js compiles, streams a video through, and answers errors with their status",
  async () => {
    const root = await copyExample("nextjs");
    await compileIn(root, join(repositoryRoot, "node_modules/.bin/tsc"));
    const script = `
    import { readFile } from "node:fs/promises";
    import { POST } from "./app/api/extract/route.ts";
    const body = new Blob([await readFile(process.argv[2])]).stream();
    const response = await POST(new Request("http://localhost/api/extract", { method: "POST", body, duplex: "half" }));
    const empty = await POST(new Request("http://localhost/api/extract", { method: "POST" }));
    console.log(response.status, empty.status, await response.text());
  `;
    await writeFile(join(root, "call.mjs"), script);
    const { stdout } = await runIn(root, ["call.mjs", service.video]);
    expect(stdout).toMatch(/^200 400 \{.*"main_color":"red".*\}\n$/);
    const refused = await runIn(root, ["call.mjs", service.video], "v2j_live_wrong");
    expect(refused.stdout).toBe('401 400 {"error":"unauthorised"}\n');
  },
);

testPackage("the batch prints a line for each video of a folder, and a second run does not pay again", async () => {
  const root = await copyExample("batch");
  await compileIn(root, join(repositoryRoot, "node_modules/.bin/tsc"));
  const folder = join(directory, "videos");
  await mkdir(folder);
  for (const name of ["a.mp4", "b.MP4"]) await copyFile(service.video, join(folder, name));
  await writeFile(join(folder, "junk.mov"), "no video at all");
  await writeFile(join(folder, "notes.txt"), "no video");
  const before = await service.secondsRemaining();
  const linesOf = async () =>
    (await runIn(root, ["dist/main.js", folder, "2"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .sort((a, b) => a.name.localeCompare(b.name));
  const lines = await linesOf();
  expect(lines).toMatchObject([
    { name: "a.mp4", data: { main_color: "red", has_sound: true } },
    { name: "b.MP4", data: { main_color: "red", has_sound: true } },
    { name: "junk.mov", error: "media_unreadable" },
  ]);
  expect(await linesOf()).toEqual(lines);
  expect(before - (await service.secondsRemaining())).toBe(120);
});

testPackage("the agent of the AI SDK compiles, and its model calls the tools of the service", async () => {
  const root = await copyExample("agent", "ai", "@ai-sdk/mcp");
  await compileIn(root, join(repositoryRoot, "node_modules/.bin/tsc"));
  // A scripted model instead of a remote one: it asks for an extraction, then repeats the result.
  const script = `
    import { MockLanguageModelV4 } from "ai/test";
    import { ask } from "./dist/ask.js";
    const { VIDEO_TO_JSON_URL: url, VIDEO_TO_JSON_API_KEY: apiKey } = process.env;
    const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 };
    const end = (unified) => ({ finishReason: { unified, raw: unified }, usage: { inputTokens: tokens, outputTokens: tokens }, warnings: [] });
    const input = JSON.stringify({ video_url: process.argv[2], schema: { main_color: "red|green|blue" } });
    const doGenerate = async ({ prompt, tools }) => {
      const last = prompt.at(-1);
      if (last.role !== "tool") {
        return { content: [{ type: "tool-call", toolCallId: "1", toolName: "extract", input }], ...end("tool-calls") };
      }
      return { content: [{ type: "text", text: tools.map(({ name }) => name) + JSON.stringify(last.content) }], ...end("stop") };
    };
    console.log(await ask("Which colour is it mostly?", new MockLanguageModelV4({ doGenerate }), { url, apiKey }));
  `;
  await writeFile(join(root, "call.mjs"), script);
  const { stdout } = await withVideoUrl((url) => runIn(root, ["call.mjs", url]));
  expect(stdout).toMatch(/extract,recent_extractions/);
  expect(stdout).toMatch(/main_color\W+red/);
});

testPackage("CommonJS sends a file too, and its errors are recognised by the ES module", async () => {
  const script = `
    const cjs = require("video-to-json");
    const wrong = cjs.createClient({ apiKey: "v2j_live_wrong" });
    (async () => {
      const esm = await import("video-to-json");
      const { data } = await cjs.createClient().extract({ video: process.argv[1], schema: { main_color: "red|green" } });
      const error = await wrong.account().catch((error) => error);
      console.log(data.main_color, error instanceof esm.VideoToJsonError, esm.isVideoToJsonError(error));
    })();
  `;
  const { stdout } = await runIn(project, ["--input-type=commonjs", "-e", script, service.video]);
  expect(stdout).toBe("red false true\n");
});

/**
 * Follows a section of the quickstart, word for word, in an empty folder, and returns what its last command prints.
 * `commands` replace those of the section.
 */
async function follow(heading: string, env: NodeJS.ProcessEnv, commands: string[] = []): Promise<string> {
  const quickstart = await readFile(join(repositoryRoot, "docs/quickstart.md"), "utf8");
  const section = quickstart.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const folder = await mkdtemp(join(directory, heading));
  await copyFile(service.video, join(folder, "clip.mp4"));
  const written: string[] = [];
  for (const [, file, language, code = ""] of section.matchAll(/(?:save as (\S+) -->\n)?```(\w+)\n([\s\S]*?)```/g)) {
    if (file) await writeFile(join(folder, file), code);
    if (language === "sh") written.push(code);
  }
  // No registry answers there: the service alone has what the quickstart installs.
  const offline = { npm_config_registry: "http://127.0.0.1:9", PIP_NO_INDEX: "1", PIP_NO_DEPS: "1" };
  const address = { VIDEO_TO_JSON_URL: service.baseUrl, VIDEO_TO_JSON_API_KEY: service.apiKey };
  const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, ...offline, ...address, ...env } };
  return (await run("bash", ["-euc", (commands.length ? commands : written).join("\n")], options)).stdout;
}

testPackage("who follows the quickstart gets the clients from the service itself: npm", async () => {
  expect(await follow("TypeScript", {})).toMatch(/\n00:00 00:0\d A .+\n[\s\S]*\n60 seconds\n$/);
});

/** The commands that the quickstart names for another package manager, with the address that npm installs from. */
async function commandsOf(sentence: RegExp): Promise<string[]> {
  const quickstart = await readFile(join(repositoryRoot, "docs/quickstart.md"), "utf8");
  const address = /npm install (".+")/.exec(quickstart)?.[1] ?? "";
  return (sentence.exec(quickstart) ?? []).slice(1).map((command) => command.replace("…", address));
}

testPackage("who follows the quickstart gets the clients from the service itself: pnpm", async () => {
  const [add = ""] = await commandsOf(/With pnpm, the third line is `(pnpm add …)`/);
  const commands = ["npm init -y", "npm pkg set type=module", add, "node extract.ts"];
  expect(await follow("TypeScript", {}, commands)).toMatch(/\n60 seconds\n$/);
});

testPackage("who follows the quickstart gets the clients from the service itself: Bun", async ({ skip }) => {
  const bun = (await installRuntime(await mkdtemp(join(directory, "bun-")), "bun")) ?? skip("no registry answers");
  const commands = await commandsOf(/With Bun, `(bun add …)` and\s`(bun extract\.ts)`/);
  expect(commands).toHaveLength(2);
  const env = { PATH: `${dirname(bun)}:${process.env.PATH}` };
  expect(await follow("TypeScript", env, commands)).toMatch(/\n60 seconds\n$/);
});

testPackage("who follows the quickstart gets the clients from the service itself: pip", async ({ skip }) => {
  const script = "import httpx, sys; print(httpx.__path__[0]); print(sys.executable)";
  // Debian's own interpreter has Debian's packages, but may not be the first one on PATH.
  const find = (python: string) => run(python, ["-c", script]).catch(() => undefined);
  const [httpx = "", python = ""] =
    ((await find("python3")) ?? (await find("/usr/bin/python3")))?.stdout.split("\n") ?? [];
  if (!httpx) skip("no Python has httpx, which the service does not serve");
  const env = { PATH: `${dirname(python)}:${process.env.PATH}`, PYTHONPATH: dirname(httpx) };
  expect(await follow("Python", env)).toMatch(/\n00:00 00:0\d A .+\n[\s\S]*\n60 seconds\n$/);
});

testPackage("the command line runs from the service's package", async () => {
  const { version } = JSON.parse(await readFile(join(packageRoot, "package.json"), "utf8"));
  const address = `${service.baseUrl}/docs/packages/video-to-json-cli-${version}.tgz`;
  const env = { PATH: process.env.PATH, HOME: directory, npm_config_registry: "http://127.0.0.1:9" };
  const { stdout } = await run("npx", ["-y", address, "--version"], { cwd: directory, env });
  expect(stdout).toBe(`${version}\n`);
});
