/** An error as the log has it. */
type ToldError = { type: string; message: string; stack?: string; code?: string; cause?: unknown; errors?: unknown[] };

const deepest = 5;
const mostErrors = 5;

/**
 * What the log says of an error: its name, message, stack and code, and the same of its causes. Not what else libraries
 * hang on errors: a database adds the row that it refused, a Problem the parts of a schema that an answer did not meet.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? "[an object]" : error;
  const { name, message, stack, cause } = error;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  const told: ToldError = { type: name, message };
  if (stack !== undefined) told.stack = stack;
  if (typeof code === "string" || typeof code === "number") told.code = String(code);
  if (depth === deepest) return told;
  if (cause !== undefined) told.cause = serializeError(cause, depth + 1);
  if (Array.isArray(errors)) told.errors = errors.slice(0, mostErrors).map((one) => serializeError(one, depth + 1));
  return told;
}
