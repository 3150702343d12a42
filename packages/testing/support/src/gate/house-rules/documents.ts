import { posix } from "node:path";

/** A link or a path of a document without a target. */
export type DeadLink = { path: string; line: number; target: string };

const link = /\[[^\]]*\]\(([^)\s]+)\)/g;
// A path in backticks from the root of the repository; placeholders such as `<name>` and `…` are examples.
const quotedPath = /`((?:apps|packages|docs|infra|scripts|examples)\/[\w./*-]+)`/g;

/** Returns relative links and quoted repository paths that lead nowhere. `exists` gets a path from the root. */
export function findDeadLinks(path: string, text: string, exists: (path: string) => boolean): DeadLink[] {
  return text.split("\n").flatMap((content, index) => {
    const linked = [...content.matchAll(link)]
      .map(([, target = ""]) => target.replace(/#.*$/, ""))
      .filter((target) => target !== "" && !/^[a-z]+:/.test(target))
      .map((target) => posix.normalize(posix.join(posix.dirname(path), target)));
    const quoted = [...content.matchAll(quotedPath)].map(([, target = ""]) => target).filter((to) => !to.includes("*"));
    return [...linked, ...quoted]
      .filter((target) => !exists(target))
      .map((target) => ({ path, line: index + 1, target }));
  });
}

/** A recipe of CONTRIBUTING.md: its title, and the paths in its list of files. */
export type Recipe = { title: string; files: string[] };

/**
 * Reads the recipes of a document. A recipe is a section with a heading "Files" and a list of paths in backticks below it.
 * A placeholder such as `<name>` is replaced by the example that the recipe names: `<name>` = `out_of_minutes`.
 */
export function readRecipes(markdown: string): Recipe[] {
  const recipes: Recipe[] = [];
  const examples = new Map<string, string>();
  let title = "";
  let isList = false;
  for (const line of markdown.split("\n")) {
    const heading = /^#+ (.*)$/.exec(line)?.[1]?.trim();
    if (heading !== undefined) {
      isList = heading === "Files";
      if (isList) recipes.push({ title, files: [] });
      else title = heading;
    }
    for (const [, name = "", example = ""] of line.matchAll(/`(<[^>`]+>)` = `([^`]+)`/g)) examples.set(name, example);
    if (isList && /^\s*[-*] /.test(line)) recipes.at(-1)?.files.push(...pathsOf(line));
  }
  const resolve = (path: string) => path.replace(/<[^>]+>/g, (name) => examples.get(name) ?? name);
  return recipes.map(({ title, files }) => ({ title, files: files.map(resolve) }));
}

function pathsOf(line: string): string[] {
  return [...line.matchAll(/`([^`\s]*[/.][^`\s]*)`/g)].map(([, path = ""]) => path);
}
