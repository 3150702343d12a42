import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.ts";

/**
 * The API key of a request, from `x-goog-api-key` or `?key=`. It owns what it uploads. Any plausible key will do unless
 * one is set; a key that begins with `invalid` never does. Throws what the service answers to a missing or unknown key.
 */
export function authenticate(request: IncomingMessage, url: URL, onlyKey: string | undefined): string {
  const header = request.headers["x-goog-api-key"];
  const key = (Array.isArray(header) ? header[0] : header) ?? url.searchParams.get("key") ?? "";
  if (key === "") throw new ApiError(403, "PERMISSION_DENIED", noKey);
  const known = onlyKey === undefined ? plausible.test(key) : key === onlyKey;
  if (!known) throw new ApiError(400, "INVALID_ARGUMENT", wrongKey, { details: [keyInfo] });
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
