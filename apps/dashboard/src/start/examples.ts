import { chapters } from "@video-to-json/contract/cookbook/recipes/chapters";
import { highlights } from "@video-to-json/contract/cookbook/recipes/highlights";
import { lectureSlides } from "@video-to-json/contract/cookbook/recipes/lecture-slides";

/** The three recipes that the first page shows. It does not load the others. */
export const examples = [highlights, chapters, lectureSlides] as const;

/** The request of the first steps: most videos have parts. */
export const firstExample = chapters;
