import {
  type CatalogueEntry,
  type ErrorInside,
  type Limits,
  Problem,
  type ProblemCode,
  problemCodes,
  problems,
} from "@video-to-json/contract";
import { ErrorBody } from "@video-to-json/contract/shapes/service";
import { type HeaderName, json, type Operation } from "./operation.ts";

/** Returns the failures of an operation by status: each code with its title, its advice and an example. */
export function failures(
  { scope, codes: others = [], headers = [], invalidRequest }: NonNullable<Operation["failures"]>,
  limits: Limits,
) {
  const scopes = ["any", scope];
  const codes = problemCodes.filter((code) => scopes.includes(problems[code].scope) || others.includes(code));
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return [...byStatus].map(([status, codesOfStatus]) => {
    const entries = codesOfStatus.map((code): [ProblemCode, CatalogueEntry<unknown>] => [code, problems[code]]);
    const examples = entries.map(([code, { advice }]) => {
      const error =
        code === "invalid_request" && invalidRequest !== undefined
          ? new Problem("invalid_request", { reason: invalidRequest }).toInside()
          : errorExample(code, limits);
      return [code, { summary: code, description: advice, value: { error } }] as const;
    });
    const challenged = entries.some(([, { challenge }]) => challenge !== undefined);
    const names: HeaderName[] = ["HelpLink", ...(challenged ? (["Challenge"] as const) : headers)];
    if (entries.some(([, { retryAfterSeconds }]) => retryAfterSeconds !== undefined)) names.unshift("RetryAfter");
    const response = {
      description: entries.map(([code, { title, advice }]) => `- \`${code}\`: ${title} ${advice}`).join("\n"),
      headers: names,
      content: json(ErrorBody, Object.fromEntries(examples)),
    };
    return { status, response };
  });
}

/** Returns the error that the catalogue shows as the example of a code, in a service with these limits. */
export function errorExample(code: ProblemCode, limits: Limits): ErrorInside {
  const { message, retryAfterSeconds = 0, ...entry }: CatalogueEntry<unknown> = problems[code];
  const example = entry.example(limits);
  const text = message(example.parameters, example.retryAfterSeconds ?? retryAfterSeconds);
  return { code, message: text, ...(example.details && { details: [...example.details] }) };
}
