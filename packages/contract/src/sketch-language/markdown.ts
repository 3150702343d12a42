import { sketchExamples } from "./examples.ts";
import { sketchMistakes } from "./mistakes.ts";
import { jsonSchemaRule, sketchRules, timestampKeyRule } from "./rules.ts";

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
