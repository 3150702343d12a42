import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultLimits } from "@video-to-json/contract";
import { fullDialect, openSchemaSandbox } from "@video-to-json/schema";
import { repositoryRoot } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { noPrebuilt } from "../llama/llama-node.ts";
import { startLlama } from "../llama/start-llama.ts";
import { type Probe, probes } from "./probes.ts";
import { realSchemas } from "./real-schemas.ts";
import { xgrammarAllows } from "./xgrammar.ts";

const sandbox = openSchemaSandbox({ limits: defaultLimits, schemaDialect: fullDialect, threads: 1, timeoutMs: 30_000 });
let llama: Awaited<ReturnType<typeof startLlama>>;
beforeAll(async () => {
  if (!noPrebuilt) llama = await startLlama(512);
});
afterAll(async () => {
  await llama?.[Symbol.asyncDispose]();
  await sandbox.close();
});

const llamaAllows = async (schema: object, text: string) => (await llama.write(schema, text)) === text;

test.skipIf(noPrebuilt)(
  "both engines take the lean copy of every real schema, and let no text stand around the answer",
  async () => {
    const schemas = realSchemas();
    const copies = await Promise.all(
      schemas.map(async ({ name, text }) => ({ name, lean: (await sandbox.compile(text)).lean })),
    );
    const refused: string[] = [];
    let tried = 0;
    for (const { name, lean } of copies) {
      // Schemas that are too large, or allow any type, have no copy and are in the prompt only.
      if (!lean) continue;
      tried += 1;
      for (const allows of [xgrammarAllows, llamaAllows]) {
        const outcome = await allows(lean, "Sure: {}").catch((error: Error) => error.message);
        if (outcome !== false) refused.push(`${name}: ${outcome}`);
      }
    }
    expect(refused).toEqual([]);
    expect(tried).toBeGreaterThanOrEqual(60);
  },
);

/** What the service says to an answer, and whether the engines let a model write it. */
async function judge({ what, schema, answer }: Probe) {
  const compiled = await sandbox.compile(JSON.stringify(schema));
  if (!compiled.lean) throw new Error(`The schema for "${what}" has no lean copy.`);
  const { ok } = await sandbox.check(compiled, answer, 600_000);
  return {
    what,
    ok,
    llama: await llamaAllows(compiled.lean, answer),
    xgrammar: await xgrammarAllows(compiled.lean, answer),
  };
}

const page = join(repositoryRoot, "docs/local-models.md");
const [begin, end] = ["<!-- written by packages/testing/engines -->", "<!-- end -->"];
const words = { true: "may be written", false: "cannot be written" };
const wordOf = (allowed: boolean) => words[`${allowed}`];

test.skipIf(noPrebuilt)(
  "docs/local-models.md says where the engines differ from the service (--update writes it)",
  async () => {
    const judged: Awaited<ReturnType<typeof judge>>[] = [];
    for (const probe of probes) judged.push(await judge(probe));
    const rows = (ok: boolean) =>
      judged
        .filter((one) => one.ok === ok && !(one.llama === ok && one.xgrammar === ok))
        .map(({ what, llama, xgrammar }) => `| ${what} | ${wordOf(llama)} | ${wordOf(xgrammar)} |`);
    const table = (title: string, ok: boolean) => [`| ${title} | llama.cpp | xgrammar |`, "|---|---|---|", ...rows(ok)];
    const lines = [...table("right, and yet", true), "", ...table("wrong, and yet", false)];
    const text = readFileSync(page, "utf8");
    const [before = "", rest = ""] = text.split(begin);
    const after = rest.slice(rest.indexOf(end));
    expect(after).not.toBe("");
    await expect(`${before}${begin}\n\n${lines.join("\n")}\n\n${after}`).toMatchFileSnapshot(page);
  },
);
