import { isTestFile, type SourceFile } from "./source-file.ts";

const rules: readonly { pattern: RegExp; breach: string }[] = [
  { pattern: /^(?:export )?let\s/m, breach: "keeps mutable state in a module; create it in a function" },
  { pattern: /\bParameters<\s*typeof\s+\w+\s*>/, breach: "derives a type with Parameters<typeof …>; name the type" },
];

/** Returns the violations of the code rules in product files, one line each: `<path>: <what>`. */
export function codeBreaches(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !isTestFile(path))
    .flatMap(({ path, text }) =>
      rules.filter(({ pattern }) => pattern.test(text)).map(({ breach }) => `${path}: ${breach}`),
    );
}
