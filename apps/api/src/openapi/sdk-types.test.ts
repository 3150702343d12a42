import { readFileSync } from "node:fs";
import { defaultLimits, problemCodes, problems } from "@video-to-json/contract";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import { expect, test } from "vitest";
import { routes } from "../routes/routes.ts";
import { openApiDocument } from "./openapi-document.ts";

const sdk = "../../../../packages/sdk/src";
const generated = `${sdk}/generated`;
const header = "// Written by `pnpm sdk:generate`.";

/** Returns the shapes that the sources of the SDK name, and those inside them, in the order of the description. */
function shapesOfSdk(all: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const sources = ["shapes.ts", "extract/progress.ts"].map((path) =>
    readFileSync(new URL(`${sdk}/${path}`, import.meta.url), "utf8"),
  );
  const names = new Set([...sources.join("").matchAll(/\["(\w+)"\]/g)].map(([, name]) => String(name)));
  for (const name of names)
    for (const [, inside] of JSON.stringify(all[name] ?? null).matchAll(/#\/components\/schemas\/(\w+)/g))
      names.add(String(inside));
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}

test("the types of the SDK match the interface description; `pnpm sdk:generate` updates them", async () => {
  const { components, info } = openApiDocument(routes, "https://api.example.com", defaultLimits);
  // The client writes its requests by hand and reads headers by hand. It needs the shapes of what it reads.
  const schemas = shapesOfSdk(components.schemas as Record<string, unknown>);
  const shapes = { openapi: "3.1.0", info, paths: {}, components: { schemas } };
  const types = await openapiTypescript(shapes as unknown as OpenAPI3);
  const written = astToString(types.filter((type) => "name" in type && /\bcomponents\b/.test(astToString(type))));
  await expect(`${header}\n\n${written}`).toMatchFileSnapshot(`${generated}/interface.gen.ts`);
});

test("the statuses of the SDK match the error catalogue; `pnpm sdk:generate` updates them", async () => {
  const written = [
    header,
    "",
    "/** The HTTP status of every code, for failures without a status: those of an MCP tool call. */",
    "export const problemStatuses = {",
    ...problemCodes.map((code) => `  ${code}: ${problems[code].status},`),
    "} as const;",
    "",
  ].join("\n");
  await expect(written).toMatchFileSnapshot(`${generated}/problem-statuses.gen.ts`);
});

test("the Python package has each code of the error catalogue with its status", () => {
  const file = new URL("../../../../packages/sdk-python/src/video_to_json/errors.py", import.meta.url);
  const rows = readFileSync(file, "utf8").matchAll(/^ {4}"(\w+)": \((\d+), \w+\),$/gm);
  const statuses = Object.fromEntries([...rows].map(([, code, status]) => [code, Number(status)]));
  expect(statuses).toEqual(Object.fromEntries(problemCodes.map((code) => [code, problems[code].status])));
});
