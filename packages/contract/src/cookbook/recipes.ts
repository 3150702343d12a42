import type { Recipe } from "./recipe.ts";
import { adBreaks } from "./recipes/ad-breaks.ts";
import { chapters } from "./recipes/chapters.ts";
import { highlights } from "./recipes/highlights.ts";
import { lectureSlides } from "./recipes/lecture-slides.ts";
import { meetingDecisions } from "./recipes/meeting-decisions.ts";
import { onScreenText } from "./recipes/on-screen-text.ts";
import { productMentions } from "./recipes/product-mentions.ts";
import { recipeSteps } from "./recipes/recipe-steps.ts";
import { safetyIncidents } from "./recipes/safety-incidents.ts";
import { uiBugReport } from "./recipes/ui-bug-report.ts";

/** The recipes of the cookbook, in the order of its index. A test extracts with each from a real video. */
export const recipes: readonly Recipe[] = [
  highlights,
  chapters,
  lectureSlides,
  productMentions,
  safetyIncidents,
  recipeSteps,
  uiBugReport,
  adBreaks,
  onScreenText,
  meetingDecisions,
];
