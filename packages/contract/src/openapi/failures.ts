import { type ProblemCode, problems } from "../problem-catalogue.ts";
import { errorExamples } from "./error-examples.ts";
import { type HeaderName, headersOf } from "./headers.ts";
import { jsonOf } from "./named-schemas.ts";

/** What any operation may end with. */
const everywhere: readonly ProblemCode[] = [
  "invalid_request",
  "unauthorised",
  "rate_limited",
  "internal_error",
  "provider_unavailable",
];

const titles: Readonly<Record<number, string>> = {
  400: "The request is wrong.",
  401: "No live key.",
  402: "Not enough minutes.",
  404: "Nothing here.",
  409: "The Idempotency-Key belongs to another request.",
  413: "Too large or too long.",
  415: "Not a video that can be read.",
  422: "No conforming result could be produced. No data is returned.",
  429: "Too much at once.",
  500: "Our fault.",
  503: "The analysis, or this server, is unavailable for the moment.",
};

const headersOfStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ["Challenge"],
  429: ["RetryAfter"],
  503: ["RetryAfter"],
};

type Options = {
  /** Codes besides those that every operation has. */
  more?: readonly ProblemCode[];
  /** Headers that any failure may have once the key is known. */
  carried?: readonly HeaderName[];
  /** What `invalid_request` may say here. */
  wrongRequest?: string;
};

/** The failures of an operation by status: what can be done about each code, and an example of each. */
export function failures({ more = [], carried = [], wrongRequest }: Options) {
  const told = { ...errorExamples, ...(wrongRequest && { invalid_request: { message: wrongRequest } }) };
  const byStatus = Map.groupBy([...everywhere, ...more], (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const advice = codes.map((code) => `- \`${code}\`: ${problems[code].advice}`);
      const examples = codes.map((code) => {
        const value = { error: { code, ...told[code] } };
        return [code, { summary: code, description: problems[code].advice, value }] as const;
      });
      const answer = {
        description: [titles[status] ?? "Failed.", "", ...advice].join("\n"),
        headers: headersOf(...(headersOfStatus[status] ?? []), ...(status === 401 ? [] : carried)),
        content: jsonOf("Error", Object.fromEntries(examples)),
      };
      return [status, answer];
    }),
  );
}
