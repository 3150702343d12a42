import { posix } from "node:path";
import { type Block, reasons } from "./blocks.ts";

/** Languages that are only displayed, or that a reader cannot run. Any of them may still show an output. */
const shown = ["text", "mermaid"];
/** Languages that the test runs, and JSON, which it parses. */
const run = ["sh", "ts", "python", "json"];

/** Returns the faults of a block before it runs. `read` returns the text of a file of the repository. */
export function blockFaults(block: Block, read: (path: string) => string | undefined): string[] {
  const { path, line, language, code, mark } = block;
  const fault = (text: string) => [`${path}:${line}: ${text}`];
  switch (mark.is) {
    case "unknown":
      return fault(`the comment “${mark.text}” is not a mark of a block`);
    case "not run":
      return reasons.includes(mark.reason) ? [] : fault(`“${mark.reason}” is not one of: ${reasons.join(", ")}`);
    case "run by":
      return isNamedIn(read(mark.test), path) ? [] : fault(`${mark.test} does not read this document`);
    case "prints":
    case "save as":
      return [];
  }
  if (shown.includes(language)) return [];
  if (!run.includes(language)) return fault(`a block in “${language}” needs a mark; ${run.join(", ")} are run`);
  return language === "json" && !isJson(code) ? fault("is not JSON") : [];
}

/** A test names a document by its path, by its name or, if it copies an example, by the folder of the example. */
function isNamedIn(test: string | undefined, path: string): boolean {
  if (!test) return false;
  const name = posix.basename(path);
  return (
    test.includes(name) ||
    test.includes(`"${posix.basename(posix.dirname(path))}"`) ||
    test.includes(posix.dirname(path))
  );
}

function isJson(text: string): boolean {
  return parses(text) || text.trim().split("\n").every(parses);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
