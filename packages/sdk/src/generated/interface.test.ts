import { openApiDocument, problemCodes, problems } from "@video-to-json/contract";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import { expect, test } from "vitest";

test("the generated types match the OpenAPI document; `pnpm sdk:generate` updates them", async () => {
  const { components, info } = openApiDocument("https://api.example.com");
  // The client needs only the shapes: it calls four routes and reads their headers by hand.
  const shapes = { openapi: "3.1.0", info, paths: {}, components: { schemas: components.schemas } };
  const types = await openapiTypescript(shapes as unknown as OpenAPI3);
  const written = astToString(types.filter((type) => "name" in type && /\bcomponents\b/.test(astToString(type))));
  await expect(`// Written by \`pnpm sdk:generate\`.\n\n${written}`).toMatchFileSnapshot("./interface.gen.ts");
});

test("the generated statuses match the error catalogue; `pnpm sdk:generate` updates them", async () => {
  const lines = problemCodes.map((code) => `  ${code}: ${problems[code].status},`);
  const written = [
    "// Written by `pnpm sdk:generate`.",
    "",
    "/** The HTTP status of every code, for failures that come without one: those of an MCP tool call. */",
    "export const problemStatuses = {",
    ...lines,
    "} as const;",
    "",
  ];
  await expect(written.join("\n")).toMatchFileSnapshot("./problem-statuses.gen.ts");
});
