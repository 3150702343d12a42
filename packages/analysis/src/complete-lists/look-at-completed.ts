import type { TokenCount } from "../analysis-provider.ts";
import type { SecondLookResult, SecondLooks } from "../second-look/take-second-look.ts";
import type { ListCompletions } from "./complete-lists.ts";

const maxRounds = 3;

/**
 * Completes the lists of an answer and takes a second look at it. An added item that the second look contradicts is
 * removed again. It does not count as a violation, because the item is not from the model's first answer.
 */
export async function lookAtCompleted(
  { completions, secondLooks }: { completions: ListCompletions; secondLooks: SecondLooks },
  answer: { text: string; tokens: TokenCount | undefined },
): Promise<SecondLookResult> {
  for (let round = 1; round <= maxRounds; round++) {
    const completed = await completions.complete(answer);
    const looked = await secondLooks.take({ text: completed.text, tokens: answer.tokens });
    const missing = [...looked.findings].flatMap(([at, { verdict, isNotSeen }]) =>
      verdict === "contradicted" || isNotSeen ? [at] : [],
    );
    const wrong = completed.added.filter((pointer) =>
      missing.some((at) => at === pointer || at.startsWith(`${pointer}/`)),
    );
    if (wrong.length === 0) return looked;
    completions.reject(completed, wrong);
  }
  return secondLooks.take(answer);
}
