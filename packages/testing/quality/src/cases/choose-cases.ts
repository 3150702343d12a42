import { canSpeak } from "../render/speech.ts";
import type { Case } from "./case.ts";
import { makeCase } from "./make-case.ts";

/**
 * Returns the cases of some seeds, and the names of the cases that this machine cannot render because it has no speech
 * program.
 */
export async function chooseCases(seeds: readonly number[]): Promise<{ cases: Case[]; skipped: string[] }> {
  const made = seeds.map(makeCase);
  if (!made.some(({ needsSpeech }) => needsSpeech) || (await canSpeak())) return { cases: made, skipped: [] };
  return {
    cases: made.filter(({ needsSpeech }) => !needsSpeech),
    skipped: made.filter(({ needsSpeech }) => needsSpeech).map(({ id }) => id),
  };
}
