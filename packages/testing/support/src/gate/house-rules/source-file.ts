import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

/** A source file: its path from the root of the repository, with slashes, and its text. */
export type SourceFile = { path: string; text: string };

const ignored = new Set(["node_modules", "dist", "build", ".local", ".git"]);

/** Returns every TypeScript file below some folders of the repository. */
export function sourceFiles(root: string, folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) => filesBelow(root, folder, /\.tsx?$/));
}

/** Returns every Markdown file of the repository. */
export function markdownFiles(root: string): SourceFile[] {
  return filesBelow(root, "", /\.md$/);
}

/** Returns every Python and YAML file of the repository. */
export function scriptFiles(root: string): SourceFile[] {
  return filesBelow(root, "", /\.(?:py|ya?ml)$/);
}

function filesBelow(root: string, folder: string, name: RegExp): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return ignored.has(entry.name) ? [] : filesBelow(root, path, name);
    return name.test(entry.name) ? [{ path, text: readFileSync(join(root, path), "utf8") }] : [];
  });
}

/** Returns the imports of a file, in each form of the language: "./x.ts", "node:fs", "@video-to-json/contract". */
export function importsOf({ text }: SourceFile): string[] {
  const forms = [
    /^\s*(?:import|export)\b[^;"'`]*?\bfrom\s*["']([^"']+)["']/gm,
    /^\s*import\s*["']([^"']+)["']/gm,
    /\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g,
  ];
  return forms.flatMap((form) => [...text.matchAll(form)].map((match) => String(match[1])));
}

/** Returns the package of a file: "packages/queue", "packages/testing/chaos", "apps/api". */
export function packageOf(path: string): string {
  const parts = path.split("/");
  const isNested = parts[0] === "packages" && parts[1] === "testing";
  return parts.slice(0, isNested ? 3 : 2).join("/");
}

/** Returns whether a file does not ship, by its name: a test, fixture or harness, the settings of a build, or a file in `testing/`. */
export function isNotShipped(path: string): boolean {
  return /\.(test|fixture|harness|config)\.tsx?$/.test(path) || path.split("/").includes("testing");
}

/** Returns the path of the file that a relative import names. */
export function targetOf(path: string, imported: string): string {
  return posix.normalize(posix.join(posix.dirname(path), imported));
}
