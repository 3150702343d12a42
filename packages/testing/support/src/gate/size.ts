import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The most lines that the tree may have: the product without its tests, and the apparatus (everything that does not ship)
 * with its tests. These are the figures of the day; the goals are 48,000 and 30,000. A commit that makes the tree smaller
 * lowers its figure. A commit that needs more raises it by itself and says why.
 */
export const budget = { product: 65_930, apparatus: 36_900 };

/** Lines of TypeScript, CSS and Python, by what they belong to. */
export type Size = { product: number; productTests: number; apparatus: number };

/** Counts the lines of the tracked files. */
export function sizeOf(root: string): Size {
  const files = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  const size = { product: 0, productTests: 0, apparatus: 0 };
  for (const path of files.split("\0").filter((path) => /\.(?:ts|tsx|css|py)$/.test(path))) {
    size[partOf(path)] += linesOf(join(root, path));
  }
  return size;
}

/** Returns the line that the gate prints. */
export function sizeLine({ product, productTests, apparatus }: Size): string {
  const of = (lines: number, most: number) => `${lines} of ${most} lines`;
  return `size: product ${of(product, budget.product)}, its tests ${productTests}, apparatus ${of(apparatus, budget.apparatus)}`;
}

/** Returns what a file belongs to. */
export function partOf(path: string): keyof Size {
  if (path.startsWith("packages/testing/") || /\.(?:harness|fixture)\.|\/testing\//.test(path)) return "apparatus";
  return /\.test\.tsx?$|(?:^|\/)test_|\/tests\//.test(path) ? "productTests" : "product";
}

// A file may be deleted and not committed yet.
function linesOf(path: string): number {
  try {
    return readFileSync(path, "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}
