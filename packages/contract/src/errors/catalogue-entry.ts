import type { Limits } from "../limits.ts";

/** One code of the error catalogue, with every fact about it. */
export type CatalogueEntry<Parameters> = {
  /** HTTP status of the response (docs/decisions/0001). */
  readonly status: number;
  /** What happened, as one short sentence for the interface description. */
  readonly title: string;
  /**
   * Which operations may fail with the code: any, those that start an extraction, or those that look up one thing. The
   * interface description lists it there.
   */
  readonly scope: "any" | "extraction" | "lookup";
  /** Whether the same request can succeed later. */
  readonly retryable: boolean;
  /** Whole seconds for `Retry-After`, if the code that throws gives no other number. */
  readonly retryAfterSeconds?: number;
  /** Value of the `WWW-Authenticate` header. */
  readonly challenge?: string;
  /** What the caller does next. */
  readonly advice: string;
  /** Returns the message for people: what is wrong, then what to do. `retryAfterSeconds` is 0 without `Retry-After`. */
  message(parameters: Parameters, retryAfterSeconds: number): string;
  /** The example in the interface description of a service with these limits. */
  example(limits: Limits): {
    readonly parameters: Parameters;
    readonly details?: readonly string[];
    readonly retryAfterSeconds?: number;
  };
};

/** Returns the entry unchanged; the compiler checks that its example has the parameters of its message. */
export function entry<Parameters>(facts: CatalogueEntry<Parameters>): CatalogueEntry<Parameters> {
  return facts;
}
