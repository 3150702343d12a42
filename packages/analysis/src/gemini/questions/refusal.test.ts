import { expect, test } from "vitest";
import { ServiceFault } from "../wire/service-fault.ts";
import { type Refusal, refusalOf } from "./refusal.ts";

const fault = (status: number, message: string, reason = "") => new ServiceFault(message, { status, reason });

const states =
  "The specified schema produces a constraint that has too many states for serving.  Typical causes of this error are schemas with lots of text";
const nesting = "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.";
const bare = "Request contains an invalid argument.";
const noFile = "You do not have permission to access the File abc or it may not exist.";
const early = "The File abc is not in an ACTIVE state and usage is not allowed.";

test.each<[string, number, string, Refusal, Refusal]>([
  ["too many states", 400, states, "schema", "unusable"],
  ["too deep a schema", 400, nesting, "schema", "unusable"],
  ["a bare refusal", 400, bare, "schema", "media"],
  [
    "an unknown field",
    400,
    "Invalid JSON payload received. Unknown name \"x\" at 'generation_config.response_json_schema': Cannot find field.",
    "schema",
    "unusable",
  ],
  ["a wrong key", 400, "API key not valid. Please pass a valid API key.", "unusable", "unusable"],
  ["a region", 400, "User location is not supported for the API use.", "unusable", "unusable"],
  [
    "too many tokens",
    400,
    "The input token count exceeds the maximum number of tokens allowed 1048576.",
    "too-large",
    "too-large",
  ],
  ["a kind of file", 400, "Unsupported MIME type: video/x-matroska", "media", "media"],
  ["a copy too early", 400, early, "file-not-ready", "file-not-ready"],
  ["a copy that is not there", 403, noFile, "file-gone", "file-gone"],
  ["a copy not found", 404, "File files/abc not found.", "file-gone", "file-gone"],
  [
    "no key",
    403,
    "Method doesn't allow unregistered callers (callers without established identity).",
    "unusable",
    "unusable",
  ],
  ["no rights", 403, "", "unusable", "unusable"],
  [
    "an unknown model",
    404,
    "models/x is not found for API version v1beta, or is not supported for generateContent.",
    "unusable",
    "unusable",
  ],
  ["a question too long for the line", 413, "", "too-large", "too-large"],
  ["a status nobody knows", 418, "", "unusable", "unusable"],
])("a question refused for %s (%i)", (_name, status, message, constrained, unconstrained) => {
  expect(refusalOf(fault(status, message), true)).toBe(constrained);
  expect(refusalOf(fault(status, message), false)).toBe(unconstrained);
});
