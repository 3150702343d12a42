import { execFile } from "node:child_process";
import { copyFile, cp, mkdtemp, mkdtempDisposable, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { secondLooks } from "@video-to-json/contract";
import { type BorrowedService, borrowService } from "@video-to-json/stack/service";
import { installRuntime, repositoryRoot, runsAllTests, serveLocally } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPython } from "./find-python.ts";
import { type Case, readCases, runCase } from "./run-case.ts";
import { startScriptedProxy } from "./scripted-proxy.ts";

const run = promisify(execFile);
const packageRoot = join(repositoryRoot, "packages/sdk-python");
const cases = readCases();
const python = await findPython(["httpx", "pytest", "hatchling"]);

let service: BorrowedService;
let proxy: Awaited<ReturnType<typeof startScriptedProxy>>;
beforeAll(async () => {
  service = await borrowService();
  proxy = await startScriptedProxy(service.baseUrl);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

async function begin(one: Case, client: string) {
  const name = `${client}-${cases.indexOf(one)}`;
  proxy.begin(name, one.script ?? []);
  if (one.faults) await service.emulator.setFaults(one.faults);
  const key = one.key === "wrong" ? "v2j_live_wrong" : await service.newKey(one.key === "poor" ? 30 : 1800);
  return { baseUrl: `${proxy.url}/${name}`, key };
}

// The faults of the provider affect every job, so these cases run alone, after the others.
for (const one of [...cases.filter(({ faults }) => !faults), ...cases.filter(({ faults }) => faults)]) {
  test(`TypeScript: ${one.name}`, { concurrent: !one.faults }, async () =>
    runCase(one, { ...(await begin(one, "typescript")), directUrl: service.baseUrl, video: service.video }),
  );
}

test.runIf(runsAllTests)("TypeScript in Bun: every case without faults of the provider", async ({ skip }) => {
  await using directory = await mkdtempDisposable(join(tmpdir(), "v2j-bun-"));
  const bun = (await installRuntime(directory.path, "bun")) ?? skip("npm finds no package registry");
  const program = join(import.meta.dirname, "make-calls.ts");
  const runInBun = async (one: Case) => {
    const context = { ...(await begin(one, "bun")), directUrl: service.baseUrl, video: service.video };
    const args = [program, JSON.stringify(one), JSON.stringify(context)];
    await runCase(one, context, async () => JSON.parse((await run(bun, args)).stdout)).catch((cause) => {
      throw new Error(one.name, { cause });
    });
  };
  // Forty processes at once would be so slow that a client takes a broken try for a long wait.
  const waiting = cases.filter(({ faults }) => !faults);
  const runInTurn = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) await runInBun(one);
  };
  await Promise.all([runInTurn(), runInTurn(), runInTurn(), runInTurn()]);
});

/** Lets a Python process begin cases, because only this process can set up the proxy and the emulator. */
async function openControl() {
  const control = await serveLocally((request, response) => {
    const [, client = "", index = ""] = (request.url ?? "").split("/");
    const one = cases[Number(index)];
    if (!one) return void response.writeHead(404).end();
    begin(one, client).then(
      (begun) => response.end(JSON.stringify(begun)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  const settings = { file: "cases.json", control: control.url, service: service.baseUrl, video: "match.mp4" };
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: "site:newer",
    PYTHONDONTWRITEBYTECODE: "1",
    LC_ALL: "C.UTF-8",
    SDK_CASES: JSON.stringify({ ...settings, everyClient: runsAllTests }),
    VIDEO_TO_JSON_URL: service.baseUrl,
    VIDEO_TO_JSON_API_KEY: service.apiKey,
  };
  return { ...control, env };
}

/** Installs the wheel of the Python package in a new directory, with the tests, the cases and a video. */
async function stagePythonPackage(video: string) {
  const directory = await mkdtemp(join(tmpdir(), "v2j-python-"));
  // The build must not leave files in the source tree.
  const source = join(directory, "source");
  await cp(packageRoot, source, { recursive: true, filter: (path) => !path.includes("__pycache__") });
  await run(python, ["-m", "hatchling", "build", "-t", "wheel", "-d", directory], { cwd: source });
  const wheel = (await readdir(directory)).find((name) => name.endsWith(".whl")) ?? "";
  await run(python, ["-m", "zipfile", "-e", wheel, "site"], { cwd: directory });
  for (const name of ["tests", "README.md", "pyproject.toml"]) {
    await cp(join(source, name), join(directory, name), { recursive: true });
  }
  await rm(source, { recursive: true });
  await writeFile(join(directory, "cases.json"), JSON.stringify(cases));
  await copyFile(video, join(directory, "match.mp4"));
  return {
    /** The names of the files in the wheel. */
    files: await readdir(join(directory, "site"), { recursive: true }),
    run: (args: readonly string[], env: NodeJS.ProcessEnv) =>
      run(python, args, { cwd: directory, env }).then(
        ({ stdout }) => stdout,
        (error) => expect.unreachable(error.stdout + error.stderr),
      ),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

test.skipIf(python === "")("Python: every case and the README, from the wheel", async () => {
  await using staged = await stagePythonPackage(service.video);
  expect(staged.files).toEqual(expect.arrayContaining(["video_to_json/py.typed", "video_to_json/client.py"]));
  expect(staged.files.filter((file) => /test|cache/.test(file))).toEqual([]);
  await using control = await openControl();
  const tests = ["cases", "core", "calls", "readme"].map((name) => `tests/test_${name}.py`);
  const output = await staged.run(["-m", "pytest", ...tests], control.env);
  // Debian 12 has no pydantic 2, which one example needs.
  expect(output).toMatch(/^\d+ passed(, 1 skipped)? in/m);
});

const newer = ["httpx==0.28.1", "pydantic==2.10.6", "pytest==8.3.5", "mypy==1.15.0"];

test.runIf(runsAllTests && python !== "")(
  "Python: everything with pydantic 2 and the httpx of Debian 13, and mypy finds no fault",
  async ({ skip }) => {
    await using staged = await stagePythonPackage(service.video);
    await using control = await openControl();
    const install = ["-m", "pip", "install", "--quiet", "--target", "newer", ...newer];
    await staged.run(install, process.env).catch(() => skip("pip finds no package registry"));
    const output = await staged.run(["-m", "pytest"], control.env);
    expect(output).not.toMatch(/skipped/);
    expect(output).toMatch(/^\d+ passed in/m);
    const typed = ["-m", "mypy", "--strict", "--cache-dir=/dev/null", "site/video_to_json", "tests/types"];
    expect(await staged.run(typed, control.env)).toMatch(/^Success/);
  },
);

test("both packages take every second look of the service", async () => {
  const texts = ["sdk-python/src/video_to_json/shapes.py", "sdk/src/extract/extract-request.ts"].map((path) =>
    readFile(join(repositoryRoot, "packages", path), "utf8"),
  );
  const [python, typescript] = await Promise.all(texts);
  const words = secondLooks.map((word) => JSON.stringify(word));
  expect(python).toContain(`SecondLook = Literal[${words.join(", ")}]`);
  expect(typescript).toContain(`secondLook?: ${words.join(" | ")} | undefined`);
});

test("the Python package knows every code with its status", async () => {
  const text = await readFile(join(packageRoot, "src/video_to_json/errors.py"), "utf8");
  const table = await readFile(join(repositoryRoot, "docs/errors.md"), "utf8");
  const rows = (from: string, row: RegExp) => [...from.matchAll(row)].map(([, code, status]) => `${code} ${status}`);
  expect(rows(text, /^ {4}"(\w+)": \((\d+), /gm)).toEqual(rows(table, /^\| \[`(\w+)`\]\S+ \| (\d+) /gm));
});
