import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Service, startService } from "@video-to-json/stack/service";
import { repositoryRoot } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

type Sample = { label: string; source: string };
type Document = { paths: Record<string, Record<string, { operationId: string; "x-codeSamples": Sample[] }>> };

const run = promisify(execFile);

let service: Service;
let jobId: string;
let document: Document;
beforeAll(async () => {
  service = await startService();
  jobId = (await service.extract()).body.id;
  document = JSON.parse((await service.read("/v1/openapi.json")).text);
});
afterAll(() => service[Symbol.asyncDispose]());

const printed: Record<string, RegExp> = {
  // The emulator sees no goals in the video of the tests, so a loop over them prints nothing.
  extractVideo: /^\{"id":.*"goals":\[|^[^{]*$/,
  getJob: /succeeded/,
  getAccount: /minutes_remaining|^\d+(?:\.\d+)?$/,
  callMcp: /recent_extractions/,
  getInterface: /"openapi":"3\.1|^1\.0\.0$/,
};

/** Runs a sample with the address, the key and the video of the service. Returns its output. */
async function output(label: string, source: string): Promise<string> {
  const text = source
    .replaceAll("https://api.example.com", service.baseUrl)
    .replaceAll("final.mp4", service.video)
    .replaceAll("match-1874-goals", randomUUID())
    .replace(/5f0c2b1e-[\w-]+/, jobId);
  const env = { ...process.env, VIDEO_TO_JSON_API_KEY: service.apiKey };
  switch (label) {
    case "curl":
      return (await run("bash", ["-euc", text.replace(/^curl/, "curl -sSf")], { env })).stdout;
    case "TypeScript": {
      // Imports resolve from the folder of the package that has the library among its dependencies.
      const cwd = join(repositoryRoot, text.includes('"video-to-json"') ? "apps/cli" : "packages/testing/end-to-end");
      return (await run(process.execPath, ["--input-type=module-typescript", "-e", text], { env, cwd })).stdout;
    }
    default:
      return (await run(await python(), ["-c", text], { env })).stdout;
  }
}

/** Returns a Python with httpx. Debian has it as python3-httpx, and its own interpreter may not be the first one. */
async function python(): Promise<string> {
  for (const program of ["python3", "/usr/bin/python3"]) {
    if (
      await run(program, ["-c", "import httpx"]).then(
        () => true,
        () => false,
      )
    )
      return program;
  }
  return "";
}

test.each(["extractVideo", "getJob", "getAccount", "callMcp", "getInterface"])(
  "the samples of %s run as they are shown, in curl, TypeScript and Python",
  async (operationId) => {
    const operation = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .find((candidate) => candidate.operationId === operationId);
    const samples = operation?.["x-codeSamples"] ?? [];
    expect(samples.map(({ label }) => label)).toEqual(["curl", "TypeScript", "Python"]);
    for (const { label, source } of samples) {
      if (label === "Python" && (await python()) === "") continue;
      expect((await output(label, source)).trim(), `${label}\n${source}`).toMatch(printed[operationId] ?? /^$/);
    }
  },
);
