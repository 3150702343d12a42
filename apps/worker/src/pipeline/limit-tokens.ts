import type { AnalysisProvider } from "@video-to-json/analysis";
import { overBudget, overCeiling } from "@video-to-json/contract";
import { type ClaimedJob, type Db, retryWhileUnavailable } from "@video-to-json/database";
import { isFree } from "@video-to-json/database/money";
import type { ProviderUsage } from "@video-to-json/queue";

type Provider = Pick<AnalysisProvider, "capabilities" | "withVideo">;
type Budget = { maxTokens: number; spent(): number; addTokens(tokens: number, dollars: number): void };

/**
 * Counts the tokens and the dollars of a job's questions. A job of an account without a paid grant asks no further question
 * that would cost more than the job may, and no account asks one beyond the operator's ceiling of a day: it throws Problem
 * `rate_limited` (docs/decisions/0001, "Cost").
 */
export function limitTokens(
  provider: Provider,
  { db, accounts }: { readonly db: Db; readonly accounts: ProviderUsage["accounts"] },
  job: ClaimedJob,
  budget: Budget,
): Provider {
  // What a question about the whole video has cost. A clip costs much less.
  let largest = 0;
  let isLimited: boolean | undefined;
  const onTokens = (tokens: number, dollars: number) => {
    largest = Math.max(largest, tokens);
    budget.addTokens(tokens, dollars);
    accounts.add(job.accountId, dollars);
  };
  const check = async (isClip: boolean) => {
    if (accounts.isOver(job.accountId)) throw overCeiling();
    if (budget.spent() + (isClip ? 0 : largest) <= budget.maxTokens) return;
    isLimited ??= await retryWhileUnavailable(() => isFree(db, job.accountId));
    if (isLimited) throw overBudget();
  };
  return {
    capabilities: provider.capabilities,
    withVideo: (video, run, use) =>
      provider.withVideo({ ...video, onTokens }, run, (ask) =>
        use(async (question, own) => {
          await check(question.clip !== undefined);
          return ask(question, own);
        }),
      ),
  };
}
