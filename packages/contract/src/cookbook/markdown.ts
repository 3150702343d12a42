import type { Recipe } from "./recipe.ts";
import { recipes } from "./recipes.ts";

const writtenBy = "`pnpm docs:generate` writes this page from `packages/contract/src/cookbook`.";

/** Returns the text of docs/cookbook/README.md: how to use a recipe, and the list of recipes. */
export function cookbookIndex(): string {
  return paragraphs([
    "# Cookbook",
    "Schemas for common questions about a video. Each page has the sketch, an answer, instructions that help, and what often goes wrong. Change them until they fit: a key more, an option less.",
    table(recipes),
    "## Use one",
    "Each sketch is also a file beside its page. Save it, write your instructions into a second file, and send both:",
    block(
      "sh",
      `curl -sS "$VIDEO_TO_JSON_URL/v1/extract" \\
  -H "Authorization: Bearer $VIDEO_TO_JSON_API_KEY" \\
  -F 'schema=<highlights.json' -F 'instructions=<instructions.txt' -F video=@match.mp4`,
    ),
    "`video-to-json extract match.mp4 --schema highlights.json --instructions @instructions.txt` does the same.",
    "## Rules that help every schema",
    [
      "- Make a field optional (`?`) if a video may not show it. A required field gets a guess.",
      "- Add an option for everything else: `other`, `unclear`, `neutral`.",
      "- Say in the instructions what to include, how often, and in which language to answer.",
      "- Ask for spans with `start` and `end`. These keys, `at` and `time` always hold a time of the video.",
      '- A part of a video costs less and is answered better: send `-F \'clip={"start":"01:00","end":"02:30"}\'`, or `--clip 1:00-2:30`.',
      "- Fewer fields give better answers. Ask for what you use.",
    ].join("\n"),
    "[sketches.md](../sketches.md) is the whole language. [troubleshooting.md](../troubleshooting.md) helps with refusals.",
    writtenBy,
  ]);
}

/** Returns the text of a recipe's page. `jsonSchema` is the JSON Schema of its sketch, as text over several lines. */
export function recipePage(recipe: Recipe, jsonSchema: string): string {
  const { id, title, about, schema, instructions, answer, pitfalls } = recipe;
  return paragraphs([
    `# ${title}`,
    about,
    `## Schema\n\n[${id}.json](${id}.json) is this sketch as a file.`,
    block("json", schema),
    "## Instructions that help",
    block("text", wrapped(instructions)),
    "## An answer",
    block("json", answer),
    `## What often goes wrong\n\n${pitfalls.map((pitfall) => `- ${pitfall}`).join("\n")}`,
    "## The sketch as a JSON Schema\n\nAnswers are validated against this JSON Schema. You can send it in place of the sketch.",
    block("json", jsonSchema),
    `[All recipes](README.md). ${writtenBy}`,
  ]);
}

function table(all: readonly Recipe[]): string {
  const rows = all.map(({ id, title, about }) => `| [${title}](${id}.md) | ${about} |`);
  return ["| recipe | for |", "| --- | --- |", ...rows].join("\n");
}

function block(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

function paragraphs(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}

/** Breaks a text into lines of at most 110 characters. */
function wrapped(text: string): string {
  return text.replace(/(.{1,110})(?: |$)/g, "$1\n").trimEnd();
}
