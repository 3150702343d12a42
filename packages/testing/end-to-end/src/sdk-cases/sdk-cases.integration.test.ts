import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Service, startService } from "@video-to-json/stack/service";
import { repositoryRoot } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findPython } from "./find-python.ts";
import { type Case, readCases } from "./read-cases.ts";
import { runCase } from "./run-case.ts";
import { startScriptedProxy } from "./scripted-proxy.ts";

const run = promisify(execFile);
const cases = readCases();
const python = await findPython(["httpx", "pytest"]);

let service: Service;
let proxy: Awaited<ReturnType<typeof startScriptedProxy>>;
beforeAll(async () => {
  service = await startService();
  proxy = await startScriptedProxy(service.baseUrl);
});
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

/** Prepares a run of a case: an account of its own, the script of the proxy and the faults of the provider. */
async function begin(one: Case, client: string) {
  const name = `${client}-${cases.indexOf(one)}`;
  proxy.begin(name, one.script ?? []);
  if (one.faults) await service.emulator.setFaults(one.faults);
  const key = one.key === "wrong" ? "v2j_live_wrong" : await service.newKey(one.key === "poor" ? 30 : 1800);
  return { baseUrl: `${proxy.url}/${name}`, key };
}

const withTypeScript = async (one: Case) =>
  runCase(one, { ...(await begin(one, "typescript")), directUrl: service.baseUrl, video: service.video });

test.concurrent.each(cases.filter(({ faults }) => !faults))("TypeScript: $name", withTypeScript);

// The faults of the provider concern every job.
test.each(cases.filter(({ faults }) => faults))("TypeScript: $name", withTypeScript);

test.skipIf(python === "")("Python: every case, with Client and with AsyncClient", async () => {
  // The Python process asks for each case to begin, because only this process knows the proxy and the emulator.
  const control = createServer((request, response) => {
    const [, client = "", index = ""] = (request.url ?? "").split("/");
    const one = cases[Number(index)];
    if (!one) return void response.writeHead(404).end();
    begin(one, client).then(
      (begun) => response.end(JSON.stringify(begun)),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, "127.0.0.1");
  await once(control, "listening");
  const cwd = join(repositoryRoot, "packages/sdk-python");
  const env = {
    PATH: process.env.PATH,
    PYTHONPATH: join(cwd, "src"),
    PYTHONDONTWRITEBYTECODE: "1",
    SDK_CASES: JSON.stringify({
      file: join(import.meta.dirname, "cases.json"),
      control: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
      service: service.baseUrl,
      video: service.video,
    }),
  };
  try {
    const ended = await run(python, ["-m", "pytest", "--durations=5"], { cwd, env }).catch((error) => error);
    expect(ended.stdout, ended.stdout + ended.stderr).toMatch(/\d+ passed in/);
    expect(ended.stdout).not.toMatch(/failed|skipped/);
  } finally {
    control.closeAllConnections();
    control.close();
  }
});

test("the Python package knows every code with its status", async () => {
  const text = await readFile(join(repositoryRoot, "packages/sdk-python/src/video_to_json/errors.py"), "utf8");
  const table = await readFile(join(repositoryRoot, "docs/errors.md"), "utf8");
  const rows = (from: string, row: RegExp) => [...from.matchAll(row)].map(([, code, status]) => `${code} ${status}`);
  expect(rows(text, /^ {4}"(\w+)": \((\d+), /gm)).toEqual(rows(table, /^\| `(\w+)` \| (\d+) /gm));
});
