import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the commands of the first block of shell commands under a heading of docs/operating.md, word for word. */
export function documentedCommands(root: string, heading: string): string {
  const text = readFileSync(join(root, "docs/operating.md"), "utf8");
  const start = text.search(new RegExp(`^#{2,4} ${heading}$`, "m"));
  const block = /```sh\n([\s\S]*?)```/.exec(start < 0 ? "" : text.slice(start));
  if (!block?.[1]) throw new Error(`docs/operating.md has no commands under "${heading}".`);
  return block[1];
}
