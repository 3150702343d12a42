import type { CatalogueEntry } from "../errors/catalogue-entry.ts";
import { Problem } from "../errors/problem.ts";
import { type ProblemCode, problems } from "../errors/problem-catalogue.ts";
import type { ErrorInside } from "../shapes/error-body.ts";
import { type HeaderName, headersOf } from "./headers.ts";
import { jsonOf } from "./named-schemas.ts";

/** The codes that any operation may end with. */
const everywhere: readonly ProblemCode[] = [
  "invalid_request",
  "unauthorised",
  "rate_limited",
  "internal_error",
  "provider_unavailable",
];

type Options = {
  /** Codes besides those that every operation has. */
  more?: readonly ProblemCode[];
  /** Headers that any failure may have once the key is known. */
  carried?: readonly HeaderName[];
  /** Example of what `invalid_request` says here. */
  wrongRequest?: string;
};

/** Returns the failures of an operation by status, each code with its title, its advice and an example. */
export function failures({ more = [], carried = [], wrongRequest }: Options) {
  const codesByStatus = Map.groupBy([...everywhere, ...more], (code) => problems[code].status);
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => {
      const entries = codes.map((code): CatalogueEntry<unknown> => problems[code]);
      const lines = entries.map(({ title, advice }, index) => `- \`${codes[index]}\`: ${title} ${advice}`);
      const examples = codes.map((code) => {
        const error = code === "invalid_request" ? wrongRequestOf(wrongRequest) : errorExample(code);
        return [code, { summary: code, description: problems[code].advice, value: { error } }] as const;
      });
      const challenged = entries.some(({ challenge }) => challenge !== undefined);
      const retried = entries.some(({ retryAfterSeconds }) => retryAfterSeconds !== undefined);
      const names: HeaderName[] = [...(challenged ? [] : carried)];
      if (challenged) names.unshift("Challenge");
      if (retried) names.unshift("RetryAfter");
      const response = {
        description: lines.join("\n"),
        headers: headersOf(...names),
        content: jsonOf("Error", Object.fromEntries(examples)),
      };
      return [status, response];
    }),
  );
}

/** Returns the error that the catalogue shows as the example of a code. */
export function errorExample(code: ProblemCode): ErrorInside {
  const { example, message, retryAfterSeconds = 0 }: CatalogueEntry<unknown> = problems[code];
  const text = message(example.parameters, example.retryAfterSeconds ?? retryAfterSeconds);
  return { code, message: text, ...(example.details && { details: [...example.details] }) };
}

function wrongRequestOf(reason: string | undefined): ErrorInside {
  return reason === undefined ? errorExample("invalid_request") : new Problem("invalid_request", { reason }).toInside();
}
