import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { sketchDocument, sketchPlainText, sketchRulesMarkdown } from "./markdown.ts";
import { jsonSchemaKeys, sketchInBrief, timestampKeys, typeWords } from "./words.ts";

const root = "../../../..";

test("docs/sketches.md matches the sketch language; `pnpm docs:generate` updates it", async () => {
  await expect(sketchDocument()).toMatchFileSnapshot(`${root}/docs/sketches.md`);
});

const readmes = ["packages/sdk/README.md", "packages/sdk-python/README.md"];

test.each(readmes)("%s contains the rules between its marks; `pnpm docs:generate` updates it", async (path) => {
  const address = new URL(`${root}/${path}`, import.meta.url);
  const marks =
    /(<!-- the sketch language, written by `pnpm docs:generate` -->\n)[\s\S]*?(<!-- end of the sketch language -->)/;
  const readme = await readFile(address, "utf8");
  expect(readme).toMatch(marks);
  const written = readme.replace(marks, (_all, start, end) => `${start}\n${sketchRulesMarkdown()}\n\n${end}`);
  await expect(written).toMatchFileSnapshot(`${root}/${path}`);
});

test("every text names every type word, synonym, timestamp key and telling key", () => {
  for (const text of [sketchDocument(), sketchRulesMarkdown(), sketchPlainText()]) {
    for (const word of [...Object.values(typeWords).flat(), ...timestampKeys, ...jsonSchemaKeys]) {
      expect(text, word).toMatch(new RegExp(`(?<![\\w$])${word.replace("$", "\\$")}(?!\\w)`));
    }
  }
});

test("the brief names every type and every telling key, with an example, in about 600 characters", () => {
  for (const word of [...Object.keys(typeWords), ...jsonSchemaKeys, "MM:SS", "?", "a|b|c", "Example: {"])
    expect(sketchInBrief).toContain(word);
  expect(sketchInBrief.length).toBeGreaterThan(500);
  expect(sketchInBrief.length).toBeLessThan(700);
});

test("a terminal shows the language in one screen of sixty lines", () => {
  expect(sketchPlainText().split("\n").length).toBeLessThanOrEqual(60);
  expect(sketchPlainText()).not.toContain("`");
});
