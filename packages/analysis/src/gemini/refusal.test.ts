import { expect, test } from "vitest";
import { GeminiError } from "./gemini-error.ts";
import { causeOfFailure, type GeminiRefusal, isGone, refusalOf } from "./refusal.ts";

const fault = (status: number, message: string, reason = "") => new GeminiError(message, { status, reason });

const states =
  "The specified schema produces a constraint that has too many states for serving.  Typical causes of this error are schemas with lots of text";
const nesting = "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth.";
const bare = "Request contains an invalid argument.";
const noFile = "You do not have permission to access the File abc or it may not exist.";
const early = "The File abc is not in an ACTIVE state and usage is not allowed.";

test.each<[string, number, string, GeminiRefusal, GeminiRefusal]>([
  ["too many states", 400, states, "schema", "unusable"],
  ["too deep a schema", 400, nesting, "schema", "unusable"],
  ["a bare refusal", 400, bare, "schema", "unclear"],
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
  ["a MIME type of the answer", 400, "Unsupported response_mime_type: application/json", "schema", "unusable"],
  ["a video that cannot be read", 400, "The video could not be decoded.", "schema", "media"],
  ["a video that cannot be processed", 400, "Unable to process input video. Please retry.", "schema", "media"],
  ["a model without video", 400, "Video input modality is not enabled for models/small-1", "schema", "unusable"],
  ["our own name of the copy", 400, 'Invalid value at file.display_name: "video-to-json/x"', "schema", "unusable"],
  ["a field of the copy", 400, "Unable to parse file.size_bytes", "schema", "unusable"],
  ["something about videos", 400, "Only one video is allowed.", "schema", "unusable"],
  ["a proxy's rule", 403, "HTTP status 403", "unusable", "unusable"],
  ["a request that is too large", 413, "", "too-large", "too-large"],
  ["an unknown status", 418, "", "unusable", "unusable"],
])("the refusal for %s (%i)", (_name, status, message, constrained, unconstrained) => {
  expect(refusalOf(fault(status, message), true)).toBe(constrained);
  expect(refusalOf(fault(status, message), false)).toBe(unconstrained);
});

test.each(["billing_address", "api_key", "leaked", "mime_type", "token count", "video", "file", "models/x"])(
  "a caller's property %j does not change how a refusal of the schema is read",
  (name) => {
    for (const form of ["generation_config.response_json_schema", "generationConfig.responseSchema"]) {
      const message = `* GenerateContentRequest.${form}.properties[${name}].enum: only allowed for STRING type`;
      expect(refusalOf(fault(400, message, "INVALID_ARGUMENT"), true)).toBe("schema");
      expect(refusalOf(fault(400, message, "INVALID_ARGUMENT"), false)).toBe("unusable");
    }
  },
);

test.each(["API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "SERVICE_DISABLED", "CONSUMER_SUSPENDED"])(
  "a key refused with %s is the operator's problem, whatever the message",
  (errorInfo) => {
    const refused = new GeminiError("Invalid credentials.", { status: 400, errorInfo });
    expect(refusalOf(refused, true)).toBe("unusable");
  },
);

test.each([
  [404, "", true],
  [403, noFile, true],
  [403, "HTTP status 403", false],
  [403, "Generative Language API has not been used in project 123 before or it is disabled.", false],
  [403, "Method doesn't allow unregistered callers.", false],
  [400, noFile, false],
])("the answer %i (%s) means that the copy is gone: %j", (status, message, gone) => {
  expect(isGone(new GeminiError(message, { status }))).toBe(gone);
});

test.each([
  [null, "unknown"],
  [{ code: null, message: "" }, "unknown"],
  [{ code: 3, message: "The file could not be used." }, "media"],
  [{ code: 13, message: "Unsupported codec." }, "media"],
  [{ code: 13, message: "An internal error has occurred." }, "provider"],
  [{ code: 14, message: "" }, "provider"],
  [{ code: null, message: "The video is corrupt." }, "media"],
] as const)("the cause of a copy that FAILED with %j: %s", (error, cause) => {
  expect(causeOfFailure(error)).toBe(cause);
});
