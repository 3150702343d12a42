import { randomUUID } from "node:crypto";
import { recipes } from "@video-to-json/contract/cookbook/recipes";
import { runsAllTests } from "@video-to-json/testing";
import { Ajv2020 } from "ajv/dist/2020.js";
import { createClient } from "video-to-json";
import { afterAll, beforeAll, expect, test } from "vitest";
import { borrowMcpService, type McpService } from "../mcp-service.ts";
import { findPython } from "../sdk-cases/find-python.ts";
import { type Block, blocksOf, documentPaths } from "./blocks.ts";
import { openReader, type Reader, readerTimeoutMs } from "./reader.ts";
import { settingOf, withNames } from "./settings.ts";

const python = await findPython(["httpx"]);

let service: McpService;
beforeAll(async () => {
  service = await borrowMcpService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** Opens a reader with an account of their own. It has a finished job where the reader's text names one. */
async function newReader(path: string, text: string): Promise<Reader> {
  const apiKey = await service.newKey();
  const jobId = text.includes("<job-id>")
    ? await finishedJob(apiKey, text.includes("vidence(") || text.includes("/evidence"))
    : "";
  const operator = {
    DATABASE_URL: service.databaseUrl,
    GEMINI_API_KEY: "key-for-the-emulator",
    GEMINI_BASE_URL: service.emulator.url,
  };
  return openReader({ ...service, apiKey, jobId, operator }, settingOf(path), python);
}

async function finishedJob(apiKey: string, evidence: boolean): Promise<string> {
  const client = createClient({ baseUrl: service.baseUrl, apiKey });
  const { id } = await client.extract({ video: service.video, schema: { main_color: "red|green|blue" }, evidence });
  return id;
}

const runs = ({ language, mark }: Block) =>
  ["sh", "ts", "python"].includes(language) && (mark.is === "run" || (mark.is === "slow" && runsAllTests));
const canRun = ({ language, code }: Pick<Block, "language" | "code">) =>
  python !== "" || !/python/.test(language + code);

async function follow(reader: Reader, path: string): Promise<void> {
  let output: string | undefined;
  for (const block of blocksOf(path)) {
    const { mark, code, language } = block;
    const place = `${path}:${block.line}\n${code}`;
    if (mark.is === "save as") reader.save(block, mark.file);
    if (mark.is === "prints" && output !== undefined)
      expect(isPrinted(code, output, language), `${place}\nprinted:\n${output}`).toBe(true);
    if (!runs(block)) continue;
    output = canRun(block)
      ? await outputOf(reader, language, withNames(code, settingOf(path).names), place)
      : undefined;
  }
}

async function outputOf(reader: Reader, language: string, code: string, place: string): Promise<string> {
  const { code: exitCode, stdout, stderr } = await reader.run(language, code);
  expect(exitCode, `${place}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

const ids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const someone = /[\w-]+@example\.com/g;

/** Returns whether an output matches a document. Ids and accounts may differ; a line `…` means any lines. */
function isPrinted(shown: string, output: string, language: string): boolean {
  const [expected, got] = [shown, output].map((text) => text.replace(ids, "id").replace(someone, "someone").trim());
  if (expected === undefined || got === undefined) return false;
  if (language === "json") return sameJson(expected, got);
  const parts = expected.split(/^…$/m).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join("[\\s\\S]*?")}$`).test(got);
}

function sameJson(expected: string, got: string): boolean {
  try {
    return JSON.stringify(JSON.parse(expected)) === JSON.stringify(JSON.parse(got));
  } catch {
    return false;
  }
}

const isFollowed = (path: string) => blocksOf(path).some(runs) && (runsAllTests || !settingOf(path).isSlow);

const timeout = readerTimeoutMs;
test.concurrent.each(documentPaths().filter(isFollowed))("%s works when it is followed", { timeout }, async (path) => {
  const text = blocksOf(path).map(({ code }) => code);
  using reader = await newReader(path, text.join("\n"));
  await follow(reader, path);
});

type Sample = { label: string; source: string };
type Document = { paths: Record<string, Record<string, { operationId: string; "x-codeSamples": Sample[] }>> };

// The emulator sees no goals in the tests' video, so a loop over them prints nothing.
const operations: [string, RegExp][] = [
  ["extractVideo", /^\{"id":.*"goals":\[|^$/],
  ["getJob", /succeeded/],
  ["listJobs", /^\{"jobs":\[\],|^0 (?:null|None)$/],
  ["callMcp", /recent_extractions/],
  ["deleteJob", /^(?:204)?$/],
  ["getEvidence", /"fields":|^\/main_color \w+ /],
  ["getAccount", /minutes_remaining|^\d+(?:\.\d+)?$/],
  ["getInterface", /"openapi":"3\.1|^1\.0\.0$/],
];
const languages: Readonly<Record<string, string>> = { curl: "sh", TypeScript: "ts", Python: "python" };

test.concurrent.each(runsAllTests ? operations : operations.slice(0, 1))(
  "the samples of %s run as they are shown, in curl, TypeScript and Python",
  async (operationId, printed) => {
    const { paths } = JSON.parse((await service.read("/v1/openapi.json")).text) as Document;
    const all = Object.values(paths).flatMap((methods) => Object.values(methods));
    const samples = all.find((operation) => operation.operationId === operationId)?.["x-codeSamples"] ?? [];
    expect(samples.map(({ label }) => label)).toEqual(Object.keys(languages));
    for (const { label, source } of samples) {
      const language = languages[label] ?? "";
      const code = source.replaceAll("match-1874-goals", randomUUID()).replace(/5f0c2b1e-[\w-]+/, "<job-id>");
      if (!canRun({ language, code })) continue;
      using reader = await newReader("/docs", code);
      expect((await outputOf(reader, language, code, operationId)).trim(), `${label}\n${source}`).toMatch(printed);
    }
  },
);

test("the samples of every operation run", async () => {
  const { paths } = JSON.parse((await service.read("/v1/openapi.json")).text) as Document;
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(ids.filter((id) => !operations.some(([tested]) => tested === id))).toEqual([]);
});

test.concurrent.each(runsAllTests ? recipes : recipes.slice(0, 1))(
  "the recipe $id gets an answer that conforms to the schema of its page",
  async (recipe) => {
    const { schema, instructions } = recipe;
    const authorization = `Bearer ${await service.newKey()}`;
    const { status, text, body } = await service.extract({ schema, instructions }, { authorization });
    expect(status, text).toBe(200);
    const shown = blocksOf(`docs/cookbook/${recipe.id}.md`).at(-1);
    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(shown?.code ?? ""));
    expect(validate(body.data), JSON.stringify(validate.errors)).toBe(true);
    expect(validate(JSON.parse(recipe.answer)), JSON.stringify(validate.errors)).toBe(true);
  },
);
