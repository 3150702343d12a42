import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { type Block, readBlocks } from "./blocks.ts";

/** Returns the paths of the documents that people follow, from the root of the repository. */
export function documentPaths(): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(repositoryRoot, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  const examples = readdirSync(join(repositoryRoot, "examples")).map((name) => `examples/${name}/README.md`);
  return [
    "README.md",
    "CONTRIBUTING.md",
    "infra/README.md",
    "infra/kubernetes/README.md",
    ...inFolder("docs"),
    ...inFolder("docs/cookbook"),
    "packages/sdk/README.md",
    "packages/sdk-python/README.md",
    ...examples,
  ];
}

/** Returns the blocks of a document. */
export function blocksOf(path: string): Block[] {
  return readBlocks(path, readFileSync(join(repositoryRoot, path), "utf8"));
}
