import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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

/** Whether a file is there for tests alone: `<thing>.test.ts`, or what they share: `test-<thing>.ts`, `<thing>-under-test.ts`. */
export function isTest(path: string): boolean {
  return /(\.test|\/test-[^/]+|-under-test)\.tsx?$/.test(path);
}
