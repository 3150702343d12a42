import type { Recipe } from "@video-to-json/contract/cookbook/recipe";
import { recipes } from "@video-to-json/contract/cookbook/recipes";
import { chapters } from "@video-to-json/contract/cookbook/recipes/chapters";
import { highlights } from "@video-to-json/contract/cookbook/recipes/highlights";
import { lectureSlides } from "@video-to-json/contract/cookbook/recipes/lecture-slides";

/** A schema to start from: a recipe of the cookbook. */
export type Template = Pick<Recipe, "id" | "title" | "about" | "schema" | "instructions">;

/** The recipes of the cookbook, in its order. */
export const templates: readonly Template[] = recipes;

/** The default template: most videos have parts. */
export const firstTemplate: Template | undefined = templates.find(({ id }) => id === "chapters") ?? templates[0];

/** The three recipes that the first page shows. It does not load the others. */
export const examples = [highlights, chapters, lectureSlides] as const;

/** The request of the first steps: most videos have parts. */
export const firstExample = chapters;
