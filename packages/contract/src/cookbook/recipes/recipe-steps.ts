import type { Recipe } from "../recipe.ts";

/** A cooking video as a recipe. */
export const recipeSteps: Recipe = {
  id: "recipe-steps",
  title: "The steps of a recipe",
  about: "A cooking video as a recipe: ingredients with amounts, and steps that link into the video.",
  schema: `{
  "dish": "string",
  "servings": "integer?",
  "ingredients": [
    {"name": "string", "amount": "string? — with its unit, as said or shown"}
  ],
  "steps": [
    {
      "start": "timestamp",
      "end": "timestamp",
      "instruction": "string — one sentence that tells the reader what to do",
      "degrees_celsius": "number? — of the oven or the pan",
      "minutes": "number? — how long it cooks or rests"
    }
  ]
}`,
  instructions:
    "Leave out greetings and advertising. Convert Fahrenheit to Celsius. Do not guess amounts: leave amount out where it is neither said nor shown.",
  answer: `{
  "dish": "Lemon risotto",
  "servings": 2,
  "ingredients": [
    {"name": "risotto rice", "amount": "160 g"},
    {"name": "vegetable stock", "amount": "600 ml"},
    {"name": "salt"}
  ],
  "steps": [
    {"start": "00:18", "end": "00:55", "instruction": "Toast the rice in butter.", "minutes": 2},
    {"start": "00:55", "end": "03:30", "instruction": "Add the stock in small amounts and stir.", "minutes": 18}
  ]
}`,
  pitfalls: [
    "A required `amount` gets a guess. Keep what the cook may not mention optional.",
    'Do not call the length of a step `time`: that key always means a time of the video. `"minutes": "number?"` is a length.',
    'The key `steps` holds the order. You need no `"number": 1`.',
  ],
};
