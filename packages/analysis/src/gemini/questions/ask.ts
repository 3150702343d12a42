import type { Answer, Question } from "../../analysis-provider.ts";
import type { RemoteCopy } from "../copies/remote-copy.ts";
import { type Patience, type PatientRun, withPatience } from "../wire/patience.ts";
import type { Sdk } from "../wire/sdk.ts";
import { ServiceFault } from "../wire/service-fault.ts";
import { readAnswer } from "./read-answer.ts";
import { refusalOf, tooLarge, unavailable, unreadable } from "./refusal.ts";

/** `unconstrained` remembers the models that refused the schema, for as long as it is kept. */
export type AskDeps = {
  sdk: Sdk;
  patience: Patience;
  copy: RemoteCopy;
  models: Record<Question["model"], string>;
  unconstrained: Set<string>;
};

const mostUnready = 5;
const refusedRetryMs = 60_000;

/**
 * Asks one question about the copy. A schema that the model refuses is left out (it stands in the prompt too), a lost
 * copy is uploaded anew, one that is not ready is waited for. Throws UnmetAnswer, Problem, or the reason of the run's
 * signal.
 */
export async function askAbout(deps: AskDeps, run: PatientRun, question: Question): Promise<Answer> {
  const model = deps.models[question.model];
  for (let unready = 0; ; ) {
    const file = await deps.copy.ready();
    const schema = deps.unconstrained.has(model) ? null : question.responseSchema;
    const { system, prompt } = question;
    try {
      const response = await withPatience(deps.patience, run, "question", () =>
        deps.sdk.generate({ model, system, file, prompt, config: answerConfig(schema) }, run.signal),
      );
      return { text: readAnswer(response), model };
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      const refusal = refusalOf(error, schema !== null);
      const { status, reason, errorInfo, message } = error;
      deps.patience.log.warn(
        { jobId: run.jobId, model, refusal, status, reason, errorInfo, fault: message },
        "question refused",
      );
      switch (refusal) {
        case "schema":
          deps.unconstrained.add(model);
          break;
        case "file-gone":
          deps.copy.lost();
          break;
        case "file-not-ready":
          if (++unready > mostUnready) throw unavailable(error, refusedRetryMs);
          deps.copy.unready();
          await deps.patience.clock.wait(unreadyPauseMs, run.signal);
          break;
        case "media":
          throw unreadable(error);
        case "too-large":
          throw tooLarge(error);
        case "unusable":
          throw unavailable(error, refusedRetryMs);
        default:
          refusal satisfies never;
      }
    }
  }
}

const unreadyPauseMs = 1_000;

/**
 * Nothing but the form of the answer: newer models refuse temperature and penalties, and without a limit of our own the
 * answer, thinking included, may be as long as the model can make it.
 */
function answerConfig(schema: Record<string, unknown> | null): Record<string, unknown> {
  return { responseMimeType: "application/json", ...(schema ? { responseJsonSchema: schema } : {}) };
}
