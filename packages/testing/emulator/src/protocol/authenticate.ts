import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.ts";
import { header } from "./exchange.ts";

/**
 * Returns the API key of a request, from `x-goog-api-key` or `?key=`. Without `onlyKey` every printable key is valid,
 * unless it starts with `invalid`. Throws Gemini's refusal of a missing or invalid key.
 */
export function authenticate(request: IncomingMessage, url: URL, onlyKey: string | undefined): string {
  const key = header(request, "x-goog-api-key") ?? url.searchParams.get("key") ?? "";
  if (key === "") throw new ApiError(403, "PERMISSION_DENIED", noKey);
  const isValid = onlyKey === undefined ? plausible.test(key) : key === onlyKey;
  if (!isValid) throw new ApiError(400, "INVALID_ARGUMENT", wrongKey, { details: [keyInfo] });
  return key;
}

const plausible = /^(?!invalid)[\x21-\x7e]{1,512}$/i;
const noKey =
  "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.";
const wrongKey = "API key not valid. Please pass a valid API key.";
const keyInfo = {
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason: "API_KEY_INVALID",
  domain: "googleapis.com",
  metadata: { service: "generativelanguage.googleapis.com" },
};
