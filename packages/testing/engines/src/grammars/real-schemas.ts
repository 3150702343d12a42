import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { recipes } from "@video-to-json/contract/cookbook/recipes";
import { repositoryRoot } from "@video-to-json/testing";

/** A schema that people use, as the text that a caller would send. */
export type RealSchema = { name: string; text: string };

/** Returns those of the cookbook, and the published schemas of tools in this tree with each of their definitions. */
export function realSchemas(): RealSchema[] {
  const ours = recipes.map(({ id, schema }) => ({ name: `recipe ${id}`, text: schema }));
  const support = createRequire(join(repositoryRoot, "packages/testing/support/package.json"));
  const compose = createRequire(support.resolve("testcontainers")).resolve("docker-compose");
  const published: Record<string, string> = {
    knip: join(repositoryRoot, "node_modules/knip/schema.json"),
    turbo: join(repositoryRoot, "node_modules/turbo/schema.json"),
    compose: join(compose.slice(0, compose.lastIndexOf("/dist/")), "schema/compose-spec.json"),
  };
  return [...ours, ...Object.entries(published).flatMap(([tool, path]) => withDefinitions(tool, path))];
}

function withDefinitions(tool: string, path: string): RealSchema[] {
  const { definitions, ...root } = JSON.parse(readFileSync(path, "utf8"));
  const { $schema } = root;
  const parts = Object.keys(definitions).map((name) => {
    const schema = { $schema, $ref: `#/definitions/${encodeURIComponent(name)}`, definitions };
    return { name: `${tool} ${name}`, text: JSON.stringify(schema) };
  });
  return [{ name: tool, text: JSON.stringify({ ...root, definitions }) }, ...parts];
}
