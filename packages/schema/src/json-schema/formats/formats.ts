import * as standard from "@hyperjump/json-schema-formats";
import type { Format } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { isDateTime, isTime } from "./date-time.ts";
import { isEmail, isIdnEmail } from "./email.ts";
import { isHostname, isIdnHostname } from "./hostname.ts";

/**
 * The formats that are enforced, by name. Any other is ignored (docs/decisions/0001, "Schema input"). ajv-formats is
 * looser or stricter than the documents that it cites, so the formats below replace its own (docs/decisions/0006).
 * JSON Schema does not define `url`, which callers use for `uri`.
 */
export const formats: ReadonlyMap<string, Format> = new Map(
  Object.entries<Format>({
    ...(fullFormats as Record<string, Format>),
    date: standard.isDate,
    time: isTime,
    "date-time": isDateTime,
    duration: standard.isDuration,
    email: isEmail,
    "idn-email": isIdnEmail,
    hostname: isHostname,
    "idn-hostname": isIdnHostname,
    uri: withAnyIpVersion(standard.isUri),
    url: withAnyIpVersion(standard.isUri),
    "uri-reference": withAnyIpVersion(standard.isUriReference),
    iri: withAnyIpVersion(standard.isIri),
    "iri-reference": withAnyIpVersion(standard.isIriReference),
    "uri-template": standard.isUriTemplate,
    uuid: standard.isUuid,
    regex: standard.isRegex,
  }),
);

/** The library throws for a valid address of a future IP version, such as `http://[v1.a]`, and for nothing else. */
function withAnyIpVersion(isValid: (text: string) => boolean): (text: string) => boolean {
  return (text) => {
    try {
      return isValid(text);
    } catch (error) {
      if (error instanceof RangeError) throw error;
      return true;
    }
  };
}
