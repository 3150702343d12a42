import { defaultLimits } from "@video-to-json/contract";
import { cookbookIndex, recipePage } from "@video-to-json/contract/cookbook/markdown";
import type { Recipe } from "@video-to-json/contract/cookbook/recipe";
import { recipes } from "@video-to-json/contract/cookbook/recipes";
import { expect, test } from "vitest";
import { createSchemaReader } from "../json-schema/schema-reader.ts";
import { checkAnswer } from "../sandbox/check-answer.ts";
import { compileSchema } from "../sandbox/compile-schema.ts";
import { createKeptValidators } from "../sandbox/kept-validators.ts";
import { schemaWarnings } from "../warnings/schema-warnings.ts";

const folder = "../../../../docs/cookbook";
const reader = createSchemaReader();

function compiled({ schema }: Recipe) {
  const outcome = compileSchema(reader, schema, defaultLimits, null);
  if ("details" in outcome) throw new Error(outcome.details.join("\n"));
  return outcome.compiled;
}

test.each(recipes)("the recipe $id is a sketch without a warning, and its answer conforms", (recipe) => {
  const schema = compiled(recipe);
  expect(schema.kind).toBe("sketch");
  expect(schemaWarnings(recipe.schema)).toEqual([]);
  const answer = JSON.stringify(JSON.parse(recipe.answer));
  expect(checkAnswer(createKeptValidators(reader), schema, recipe.answer, 600_000)).toEqual({ ok: true, text: answer });
  expect(recipe.instructions.length).toBeLessThan(defaultLimits.maxInstructionsCharacters);
  expect(recipe.pitfalls.length).toBeGreaterThanOrEqual(3);
});

test.each(recipes)(
  "docs/cookbook has the page and the file of $id; `pnpm docs:generate` updates them",
  async (recipe) => {
    const jsonSchema = JSON.stringify(JSON.parse(compiled(recipe).fullText), null, 2);
    await expect(recipePage(recipe, jsonSchema)).toMatchFileSnapshot(`${folder}/${recipe.id}.md`);
    await expect(`${recipe.schema}\n`).toMatchFileSnapshot(`${folder}/${recipe.id}.json`);
  },
);

test("docs/cookbook/README.md lists ten recipes with different ids; `pnpm docs:generate` updates it", async () => {
  expect(new Set(recipes.map(({ id }) => id)).size).toBe(10);
  await expect(cookbookIndex()).toMatchFileSnapshot(`${folder}/README.md`);
});
