import { posix } from "node:path";

/** A link or a path of a document without a target. */
export type DeadLink = { path: string; line: number; target: string };

const link = /\[[^\]]*\]\(([^)\s]+)\)/g;
// A path in backticks from the root of the repository; placeholders such as `<name>` and `…` are examples.
const quotedPath = /`((?:apps|packages|docs|infra|scripts|examples)\/[\w./*-]+)`/g;

/**
 * Returns the relative links, and the quoted repository paths, of a Markdown document whose targets do not exist.
 * `exists` gets a path from the root of the repository.
 */
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
