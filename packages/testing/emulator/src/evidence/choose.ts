import { isJsonObject } from "@video-to-json/contract";
import type { Evidence } from "./look.ts";

type Choice = { options: readonly string[] };

/** Reads questions with options: lines of `{"question": …, "about": …, "options": […]}`. Undefined if a prompt has none. */
export function choicesAsked(promptText: string): Choice[] | undefined {
  const lines = promptText.split("\n").filter((line) => line.startsWith('{"question":'));
  if (lines.length === 0) return undefined;
  return lines.map((line) => {
    const asked: unknown = JSON.parse(line);
    return { options: isJsonObject(asked) && Array.isArray(asked.options) ? asked.options.map(String) : [] };
  });
}

/** Answers with the option that the marks have. Marks tell nothing about a claim. */
export function choose(choices: readonly Choice[], { marks }: Evidence): string {
  const shown = new Set(marks.flatMap(({ attributes }) => Object.values(attributes)));
  const answers = choices.map(({ options }) => options.find((option) => shown.has(option)) ?? "cannot tell");
  return JSON.stringify({ answers });
}
