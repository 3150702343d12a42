import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";

/** The meaning of the comment above a block. */
type Mark =
  /** No comment: the test runs it. */
  | { is: "run" }
  /** Run by `./scripts/test --all` only. */
  | { is: "slow" }
  | { is: "not run"; reason: string }
  /** Another test runs it, or compares it with a tested file. */
  | { is: "run by"; test: string }
  /** The output of the previous block. A line `…` means any lines; ids may differ. */
  | { is: "prints" }
  /** The reader saves it as a file for a later block. */
  | { is: "save as"; file: string }
  | { is: "unknown"; text: string };

/** A fenced block of code in a document. `line` is the line of its fence. */
export type Block = { path: string; line: number; language: string; code: string; mark: Mark };

/** The reasons for which a block may have no test. */
export const reasons: readonly string[] = [
  ...["installs packages", "needs Docker", "needs Kubernetes", "needs a cloud", "needs an agent"],
  ...["needs a longer video", "needs a model", "needs a domain", "starts processes that stay", "takes minutes"],
];

const fence = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;
const markAbove = /<!-- ([^\n]*?) -->\n *$/;

/** Returns the fenced blocks of a Markdown document, each with its mark: a comment on the line above the fence. */
export function readBlocks(path: string, markdown: string): Block[] {
  return [...markdown.matchAll(fence)].map(({ index, 2: language = "", 3: code = "" }) => {
    const before = markdown.slice(0, index);
    return { path, line: before.split("\n").length, language, code, mark: readMark(markAbove.exec(before)?.[1]) };
  });
}

function readMark(text: string | undefined): Mark {
  if (text === undefined) return { is: "run" };
  if (text === "run with --all") return { is: "slow" };
  if (text === "prints") return { is: "prints" };
  const [, is, rest = ""] = /^(not run: |run by |save as )(.+)$/.exec(text) ?? [];
  switch (is) {
    case "not run: ":
      return { is: "not run", reason: rest };
    case "run by ":
      return { is: "run by", test: rest };
    case "save as ":
      return { is: "save as", file: rest };
    default:
      return { is: "unknown", text };
  }
}

/** Returns the paths of the documents that people follow, from the root of the repository. */
export function documentPaths(): string[] {
  const inFolder = (folder: string) =>
    readdirSync(join(repositoryRoot, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`);
  const examples = readdirSync(join(repositoryRoot, "examples")).map((name) => `examples/${name}/README.md`);
  return [
    ...["README.md", "CONTRIBUTING.md", "infra/README.md", "infra/kubernetes/README.md"],
    ...[...inFolder("docs"), ...inFolder("docs/cookbook")],
    ...["packages/sdk/README.md", "packages/sdk-python/README.md", "skills/video-to-json/SKILL.md"],
    ...examples,
  ];
}

export function blocksOf(path: string): Block[] {
  return readBlocks(path, readFileSync(join(repositoryRoot, path), "utf8"));
}
