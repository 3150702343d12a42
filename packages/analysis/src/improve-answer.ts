import type { TokenCount } from "./analysis-provider.ts";
import type { ListCompletions } from "./complete-lists/complete-lists.ts";
import { lookAtCompleted } from "./complete-lists/look-at-completed.ts";
import type { SecondLookFindings } from "./second-look/findings.ts";
import type { SecondLooks } from "./second-look/take-second-look.ts";

/** The further passes of a job over a conforming answer. Null: the job does not have this pass. */
type Passes = { completions: ListCompletions | null; secondLooks: SecondLooks | null };

/** The improved answer, and the times that a second look contradicts, as violations. */
type ImprovedAnswer = {
  text: string;
  /** The findings of the second look, if there was one. */
  findings?: SecondLookFindings;
  violations: string[];
  violationsForCaller: string[];
};

/** Completes the lists of a conforming answer, and takes a second look at its times. */
export async function improveAnswer(
  { completions, secondLooks }: Passes,
  answer: { text: string; tokens: TokenCount | undefined },
): Promise<ImprovedAnswer> {
  if (completions && secondLooks) return await lookAtCompleted({ completions, secondLooks }, answer);
  if (secondLooks) return await secondLooks.take(answer);
  const completed = await completions?.complete(answer);
  return { text: completed?.text ?? answer.text, violations: [], violationsForCaller: [] };
}
