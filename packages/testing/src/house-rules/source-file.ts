import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A source file: its path from the repository's root, with slashes, and its text. */
export type SourceFile = { path: string; text: string };

const passedOver = new Set(["node_modules", "dist", "build", ".local", ".git"]);

/** Every TypeScript file below some folders of the repository. */
export function sourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) => filesBelow(root, folder));
}

function filesBelow(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return passedOver.has(entry.name) ? [] : filesBelow(root, path);
    return /\.tsx?$/.test(entry.name) ? [{ path, text: readFileSync(join(root, path), "utf8") }] : [];
  });
}

/** What a file imports, in any of the language's ways: "./x.ts", "node:fs", "@video-to-json/contract". */
export function importsOf({ text }: SourceFile): string[] {
  const ways = [
    /^\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm,
    /^\s*import\s*["']([^"']+)["']/gm,
    /\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g,
  ];
  return ways.flatMap((way) => [...text.matchAll(way)].map((match) => String(match[1])));
}

/** The room a file is in: "packages/queue", "apps/api", or "scripts". */
export function roomOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  return first === "apps" || first === "packages" ? `${first}/${second}` : first;
}

/** The paths of the files that are there for tests alone: `<thing>.test.ts`, and what nothing but such files imports. */
export function testFiles(files: readonly SourceFile[]): ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    for (const imported of importsOf(file).filter((name) => name.startsWith("."))) {
      const target = targetOf(file.path, imported);
      importers.set(target, [...(importers.get(target) ?? []), file.path]);
    }
  }
  const found = new Set(files.map(({ path }) => path).filter((path) => /\.test\.tsx?$/.test(path)));
  // What a file of the set alone imports belongs to it too, until there is no more of that kind.
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [path, by] of importers) if (by.every((importer) => found.has(importer))) found.add(path);
  }
  return found;
}

/** The file that a relative import names. */
export function targetOf(path: string, imported: string): string {
  return posix.normalize(posix.join(posix.dirname(path), imported));
}
