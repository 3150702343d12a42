import type { Format } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { isDate, isDateTime, isDuration, isTime } from "./date-time.ts";
import { isEmail, isIdnEmail } from "./email.ts";
import { isHostname, isIdnHostname } from "./hostname.ts";
import { isIri, isIriReference, isUri, isUriReference, isUriTemplate } from "./uri.ts";

/**
 * The formats that are enforced, by name; any other is ignored (docs/decisions/0001, "Schema input"). Those of the
 * dialects are ours where ajv-formats is looser or stricter than the documents it cites; `url` is no format of theirs, and
 * is read as `uri`.
 */
export const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries<Format>({
    ...(fullFormats as Record<string, Format>),
    date: isDate,
    time: isTime,
    "date-time": isDateTime,
    duration: isDuration,
    email: isEmail,
    "idn-email": isIdnEmail,
    hostname: isHostname,
    "idn-hostname": isIdnHostname,
    uri: isUri,
    url: isUri,
    "uri-reference": isUriReference,
    iri: isIri,
    "iri-reference": isIriReference,
    "uri-template": isUriTemplate,
    uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
    regex: isRegex,
  }),
);

function isRegex(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
