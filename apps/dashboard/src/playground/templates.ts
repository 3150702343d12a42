import type { Recipe } from "@video-to-json/contract/cookbook/recipe";
import { recipes } from "@video-to-json/contract/cookbook/recipes";

/** A schema to start from: a recipe of the cookbook. */
export type Template = Pick<Recipe, "id" | "title" | "about" | "schema" | "instructions">;

/** The recipes of the cookbook, in its order. */
export const templates: readonly Template[] = recipes;

/** The default template: most videos have parts. */
export const firstTemplate: Template | undefined = templates.find(({ id }) => id === "chapters") ?? templates[0];
