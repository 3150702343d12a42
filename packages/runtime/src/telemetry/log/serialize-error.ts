/** An error in the form that the log shows. */
type SerializedError = {
  type: string;
  message: string;
  stack?: string;
  code?: string;
  cause?: unknown;
  errors?: unknown[];
};

const maxDepth = 5;
const maxErrors = 5;

/**
 * Returns the parts of an error that the log may show: its name, message, stack and code, and the same of its causes.
 * Other properties are left out because they can contain callers' data: a database error quotes the refused row, a
 * Problem quotes an answer.
 */
export function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "object" && error !== null ? "[an object]" : error;
  const { name, message, stack, cause } = error;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  const serialized: SerializedError = { type: name, message };
  if (stack !== undefined) serialized.stack = stack;
  if (typeof code === "string" || typeof code === "number") serialized.code = String(code);
  if (depth === maxDepth) return serialized;
  if (cause !== undefined) serialized.cause = serializeError(cause, depth + 1);
  if (Array.isArray(errors))
    serialized.errors = errors.slice(0, maxErrors).map((one) => serializeError(one, depth + 1));
  return serialized;
}
