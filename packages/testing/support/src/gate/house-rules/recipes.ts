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
