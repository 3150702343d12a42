import { type SketchMistake, sketchExamples, sketchMistakes } from "./examples.ts";
import { jsonSchemaRule, sketchRules, timestampKeyRule } from "./words.ts";

/** What a sketch is, as sentences. */
const introduction =
  "A sketch is the wanted answer as an example, with a type word in place of each value. Type words may be in upper or lower case.";

/**
 * How rows are written: as a `table` or as a `list`. The interface description uses a list, because some of its readers
 * do not know `\\|` inside a table.
 */
type Form = "table" | "list";

/** Returns the rules of the sketch language in Markdown: what can be written, the timestamp keys, what is a JSON Schema. */
export function sketchRulesMarkdown(form: Form = "table"): string {
  const rules =
    form === "list"
      ? list(sketchRules.map(({ written, means }) => `${written.map(code).join(", ")}: ${means}`))
      : table(
          ["written", "means"],
          sketchRules.map(({ written, means }) => [written.map(code).join(", "), means]),
        );
  return [introduction, rules, timestampKeyRule, jsonSchemaRule].join("\n\n");
}

/** Returns the worked examples in Markdown: each sketch, and an answer to it. */
export function sketchExamplesMarkdown(): string {
  return sketchExamples
    .map(({ title, sketch, answer }) => `${title}:\n\n\`\`\`json\n${sketch}\n${answer}\n\`\`\``)
    .join("\n\n");
}

/** Returns the common mistakes in Markdown. */
export function sketchMistakesMarkdown(form: Form = "table"): string {
  const rows = sketchMistakes.map(({ written, isRefused, result, instead }) => [
    code(written),
    isRefused ? `refused: ${result}` : result,
    code(instead),
  ]);
  return form === "table"
    ? table(["written", "means", "write instead"], rows)
    : list(rows.map(([written, result, instead]) => `${written} (${result}): write ${instead}`));
}

/** Returns the text of docs/sketches.md. */
export function sketchDocument(): string {
  return `${[
    "# Sketches",
    "`schema` is a sketch or a JSON Schema. The answer is validated against either exactly as it was sent.",
    sketchRulesMarkdown(),
    "## Examples\n\nEach sketch is followed by an answer.",
    sketchExamplesMarkdown(),
    "## Common mistakes",
    sketchMistakesMarkdown(),
    "`video-to-json check-schema` shows what a schema means and warns about doubtful parts. It needs no key and no network.",
    'A doubtful part is valid, but almost always means something else than its author wants, such as `"array<string>"` or `{"type": "string"}` as the value of a key. `POST /v1/extract` runs it as it is written, and says in the header `Extract-Warnings` how many doubts there are. With `Prefer: handling=strict` it refuses the schema instead, free of charge, and `details` say what to write. The SDKs, the command line, the playground and MCP send that header by default.',
    "`pnpm docs:generate` writes this page from `packages/contract/src/sketch-language`.",
  ].join("\n\n")}\n`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // A bar inside of a code span would end the cell.
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll("|", "\\|")));
  return [head, head.map(() => "---"), ...cells].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function list(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

const width = 100;

/** Returns the sketch language as plain text for a terminal, in lines of at most 100 characters where it can. */
export function sketchPlainText(): string {
  const written = sketchRules.map((rule) => rule.written.join(", "));
  const column = widest(written) + 2;
  const wrong = widest(sketchMistakes.map((mistake) => mistake.written)) + 2;
  return [
    "A sketch is the wanted answer as an example, with a type word where each value goes:",
    ...sketchRules.map(({ means }, index) => `  ${(written[index] ?? "").padEnd(column)}${plain(means)}`),
    ...wrapped(plain(timestampKeyRule)),
    ...wrapped(plain(jsonSchemaRule)),
    "",
    "Examples, each with an answer:",
    ...sketchExamples.flatMap(({ title, sketch, answer }) => [`  ${title}`, `    ${sketch}`, `    ${answer}`]),
    "",
    "Common mistakes:",
    ...sketchMistakes.map(
      (mistake) => `  ${mistake.written.padEnd(wrong)}${resultOf(mistake).padEnd(40)}${mistake.instead}`,
    ),
  ].join("\n");
}

function resultOf({ isRefused, result }: SketchMistake): string {
  return `${isRefused ? "refused: " : ""}${plain(result)}`;
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

function plain(markdown: string): string {
  return markdown.replaceAll("`", "");
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
