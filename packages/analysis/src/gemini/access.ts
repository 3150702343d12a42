import { GeminiError } from "./gemini-error.ts";
import { isAboutAccess, isAboutModel, refusalOf } from "./refusal.ts";

/** What the provider refuses because of the operator's key, project or settings. */
export type Access = {
  /** Notes the end of a request. `about` names its subject: a kind of request, or a model. */
  note(about: string, error: GeminiError | null): void;
  /** Returns what is refused now, with the provider's words and what to do; undefined if nothing is. */
  refusal(): string | undefined;
};

type Log = { error(obj: object, msg: string): void };

/** Opens an empty memory of refusals. The log gets an error when one begins. */
export function openAccess(log: Log): Access {
  const refusals = new Map<string, string>();
  return {
    note(about, error) {
      if (!error) refusals.delete(about);
      if (!error || !isRefused(error)) return;
      const advice = adviceOn(error);
      if (!refusals.has(about)) {
        const { status, message: providerError } = error;
        log.error({ about, status, providerError, advice }, "provider refuses");
      }
      refusals.set(about, `${about}: ${error.status} ${error.message} ${advice}`);
    },
    refusal: () => (refusals.size > 0 ? [...refusals.values()].join(" | ") : undefined),
  };
}

/** Returns whether nothing but the operator can change the reason of an error. */
function isRefused(error: GeminiError): boolean {
  const { status } = error;
  if (status === 401 || status === 402 || error.isUnpaid) return true;
  if (status === 403) return refusalOf(error, false) !== "file-gone";
  if (status === 404) return isAboutModel(error);
  return status === 400 && isAboutAccess(error);
}

/** Returns what an operator does about an error of the provider. */
export function adviceOn(error: unknown): string {
  const { status, isUnpaid } = error instanceof GeminiError ? error : { status: null, isUnpaid: false };
  if (isUnpaid) return advices[402];
  return (status !== null && advices[status as keyof typeof advices]) || "Look at the status page of the provider.";
}

const advices = {
  400: "Put a valid key into GEMINI_API_KEY. If it is valid, see whether it may be used from this country.",
  401: "Put a valid key into GEMINI_API_KEY, or with PROVIDER=vertex the key of a service account that exists into VERTEX_CREDENTIALS.",
  402: "Pay the balance of the key's project, or raise its spending cap.",
  403: "Give the key's project or service account the right to use the Gemini API and its files (Vertex AI: roles/aiplatform.user, and roles/storage.objectUser on the bucket), and look for limits of the key.",
  404: "Name another model in GEMINI_MODEL or GEMINI_MODEL_LARGE.",
  429: "Ask for more quota of this model, or lower GLOBAL_CONCURRENCY.",
} as const;
