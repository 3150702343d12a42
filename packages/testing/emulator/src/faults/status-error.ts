import { ApiError } from "../protocol/api-error.ts";
import type { Fault } from "./fault.ts";

/** Returns the error that Gemini sends with the status of a `status` fault. */
export function statusError(fault: Fault, model: string): ApiError {
  if (fault.status === 429) return quotaError(fault, model);
  const [status, message] = known[fault.status] ?? ["UNKNOWN", "The service failed."];
  return new ApiError(fault.status, status, message, { details: retryInfo(fault) });
}

const known: Readonly<Record<number, readonly [string, string]>> = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: ["UNAUTHENTICATED", "Request had invalid authentication credentials."],
  403: ["PERMISSION_DENIED", "The caller does not have permission"],
  404: ["NOT_FOUND", "Requested entity was not found."],
  408: ["UNAVAILABLE", "Request timed out."],
  409: ["ABORTED", "The operation was aborted."],
  412: ["FAILED_PRECONDITION", "Precondition check failed."],
  499: ["CANCELLED", "The operation was cancelled."],
  500: [
    "INTERNAL",
    "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
  ],
  502: ["UNAVAILABLE", "Bad gateway."],
  503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
  504: ["DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
};

function quotaError(fault: Fault, model: string): ApiError {
  const period = fault.perDay ? "PerDay" : "PerMinute";
  const seconds = fault.retryDelay && Number.parseFloat(fault.retryDelay);
  const message = `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.${seconds ? ` Please retry in ${seconds}s.` : ""}`;
  const violation = {
    quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
    quotaId: `GenerateRequests${period}PerProjectPerModel-FreeTier`,
    quotaDimensions: { location: "global", model },
    quotaValue: "20",
  };
  const links = [
    { description: "Learn more about Gemini API quotas", url: "https://ai.google.dev/gemini-api/docs/rate-limits" },
  ];
  return new ApiError(429, "RESOURCE_EXHAUSTED", message, {
    details: [
      { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [violation] },
      { "@type": "type.googleapis.com/google.rpc.Help", links },
      ...retryInfo(fault),
    ],
  });
}

function retryInfo({ retryDelay }: Fault): object[] {
  return retryDelay ? [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }] : [];
}
