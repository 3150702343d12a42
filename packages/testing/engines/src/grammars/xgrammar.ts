import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";

const { Grammar, Testings } = loadXgrammar();

type Schema = Record<string, unknown>;

/**
 * Whether a model may write this text under the schema, by the engine of vLLM and SGLang with the options of vLLM. Rejects
 * when the engine refuses the schema.
 */
export async function xgrammarAllows(schema: Schema, text: string): Promise<boolean> {
  const grammar = await Grammar.fromJSONSchema(JSON.stringify(schema), true, -1, [",", ":"], true);
  try {
    return await Testings.isGrammarAcceptString(grammar, text);
  } finally {
    grammar.dispose();
  }
}

/** The package calls its file a module, and the file is a script for Node's older loader. */
function loadXgrammar() {
  const require = createRequire(import.meta.url);
  const path = require.resolve("@mlc-ai/web-xgrammar");
  const exports = {};
  const names = ["exports", "require", "module", "__filename", "__dirname"];
  const script = new Function(...names, readFileSync(path, "utf8"));
  script(exports, require, { exports }, path, dirname(path));
  return exports as typeof import("@mlc-ai/web-xgrammar");
}
