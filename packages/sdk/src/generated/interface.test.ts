import { openApiDocument } from "@video-to-json/contract";
import openapiTypescript, { astToString, type OpenAPI3 } from "openapi-typescript";
import { expect, test } from "vitest";

test("the types are those of the interface description; `pnpm sdk:generate` writes them anew", async () => {
  const { components, info } = openApiDocument("https://api.example.com");
  // Only the shapes are of use: the client speaks to four routes, and their headers are read by hand.
  const shapes = { openapi: "3.1.0", info, paths: {}, components: { schemas: components.schemas } };
  const types = await openapiTypescript(shapes as unknown as OpenAPI3);
  const written = astToString(types.filter((type) => "name" in type && /\bcomponents\b/.test(astToString(type))));
  await expect(`// Written by \`pnpm sdk:generate\`.\n\n${written}`).toMatchFileSnapshot("./interface.gen.ts");
});
