import { sketchExamples } from "./examples.ts";
import { type SketchMistake, sketchMistakes } from "./mistakes.ts";
import { jsonSchemaRule, sketchRules, timestampKeyRule } from "./rules.ts";

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
