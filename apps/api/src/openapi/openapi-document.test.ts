import { createConfig, lintFromString } from "@redocly/openapi-core";
import { defaultLimits, problemCodes, problems } from "@video-to-json/contract";
import { sketchExamples } from "@video-to-json/contract/sketch-language/examples";
import { jsonSchemaKeys, timestampKeys, typeWords } from "@video-to-json/contract/sketch-language/words";
import { expect, test } from "vitest";
import { routes } from "../routes/routes.ts";
import { openApiDocument } from "./openapi-document.ts";

const document = openApiDocument(routes, "https://api.video-to-json.dev/", defaultLimits);
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

async function lintProblems(about: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const found = await lintFromString({ source: JSON.stringify(about), config });
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

test.each(["https://api.video-to-json.dev", "/"])(
  "the description for the address %s follows Redocly's recommended rules",
  async (address) => {
    expect(await lintProblems(openApiDocument(routes, address, defaultLimits))).toEqual([]);
  },
);

test("the rules find a missing licence and an example of another shape", async () => {
  const { license, ...info } = document.info;
  expect(license).toBeDefined();
  expect(await lintProblems({ ...document, info })).toEqual([expect.stringContaining("info-license")]);
  const Account = { type: "object", properties: { email: { type: "integer" } } };
  const schemas = { ...document.components.schemas, Account };
  const broken = { ...document, components: { ...document.components, schemas } };
  expect(await lintProblems(broken)).toContainEqual(expect.stringContaining("`email` property type must be integer"));
});

test("every code is documented under its status, with its advice and an example", () => {
  const seen = new Map<string, Set<number>>();
  for (const { responses } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      for (const [name, example] of Object.entries(content?.["application/json"]?.examples ?? {})) {
        if (!(name in problems)) continue;
        const code = name as keyof typeof problems;
        expect(example).toMatchObject({ description: problems[code].advice, value: { error: { code } } });
        seen.set(name, (seen.get(name) ?? new Set()).add(Number(status)));
      }
    }
  }
  expect([...seen.keys()].sort()).toEqual([...problemCodes].sort());
  for (const code of problemCodes) expect([...(seen.get(code) ?? [])]).toEqual([problems[code].status]);
});

test("every operation documents an unknown key, the rate limit and a failure of the service", () => {
  for (const { responses } of operations)
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "429", "500"]));
});

test("every operation has a name of its own, and every tag is used", () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const used = new Set(operations.flatMap(({ tags }) => tags));
  expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
});

test("an address with a slash at its end is the same address", () => {
  expect(document.servers[0]?.url).toBe("https://api.video-to-json.dev");
  expect(openApiDocument(routes, "/", defaultLimits).servers[0]?.url).toBe("/");
});

test("every operation has a sample in curl, TypeScript and Python, with the address of the service", () => {
  for (const { operationId, ...operation } of operations) {
    const samples = operation["x-codeSamples"];
    expect(
      samples.map(({ label }) => label),
      operationId,
    ).toEqual(["curl", "TypeScript", "Python"]);
    for (const { source } of samples) expect(source).toMatch(/"?https:\/\/api\.video-to-json\.dev"?/);
  }
  const [relative] = openApiDocument(routes, "/", defaultLimits).paths["/v1/me"]?.get?.["x-codeSamples"] ?? [];
  expect(relative?.source).toContain("curl https://api.example.com/v1/me");
});

test("the description explains every type word of sketches and what makes a JSON Schema", () => {
  for (const word of [...Object.values(typeWords).flat(), ...timestampKeys, ...jsonSchemaKeys])
    expect(document.info.description).toContain(`\`${word}\``);
  for (const { sketch, answer } of sketchExamples) {
    expect(document.info.description).toContain(sketch);
    expect(document.info.description).toContain(answer);
  }
});
