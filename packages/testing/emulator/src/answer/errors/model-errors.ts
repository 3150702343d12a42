import type { ModelError } from "./model-error.ts";

/** How the emulated model errs now. */
export type ModelErrors = { current(): readonly ModelError[]; replace(errors: readonly ModelError[]): void };

/** Creates the errors of a model. */
export function createModelErrors(first: readonly ModelError[]): ModelErrors {
  let errors = first;
  return {
    current: () => errors,
    replace(next) {
      errors = next;
    },
  };
}
