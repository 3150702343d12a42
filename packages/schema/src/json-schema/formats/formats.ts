import * as standard from "@hyperjump/json-schema-formats";
import { isHostname as isAsciiHostname, isDate, isIPv4, isIPv6 } from "@hyperjump/json-schema-formats";
import type { Format } from "ajv";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { isIdnHostname as assertIdnHostname, uts46map } from "idn-hostname";

// No valid name is longer, in Unicode or ASCII. The limit keeps the check fast for any text.
const maxLength = 1000;

/** Returns whether a text is an RFC 1123 host name. A label with `xn--` must encode a valid international label. */
function isHostname(text: string): boolean {
  if (/(?:^|\.)xn--/i.test(text)) return isAscii(text) && isInternational(text);
  return text.length <= 253 && isAsciiHostname(text);
}

/** Returns whether a text is a host name whose labels may be written in Unicode (RFC 5890 to 5893). */
function isIdnHostname(text: string): boolean {
  return isHostname(text) || isInternational(text);
}

function isInternational(text: string): boolean {
  if (text.length > maxLength) return false;
  try {
    return text.split(/[.\u3002\uff0e\uff61]/).every(isUnmapped) && assertIdnHostname(text);
  } catch {
    return false;
  }
}

/**
 * The library maps a label before it checks it: `É` to `é`. The format allows a Unicode label only in its mapped form.
 */
function isUnmapped(label: string): boolean {
  return label !== "" && (isAscii(label) || (label === label.normalize("NFC") && label === uts46map(label)));
}

function isAscii(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

const timeParts =
  /^(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.\d+)?(?:z|(?<sign>[+-])(?<offsetHour>\d\d):(?<offsetMinute>\d\d))$/i;

/**
 * Returns whether a text is an RFC 3339 `full-time`. Second 60 is valid at the end of any UTC day. The library's own
 * check allows no leap second in a `time`, and in a `date-time` only those of past years.
 */
function isTime(text: string): boolean {
  const parts = timeParts.exec(text)?.groups;
  if (!parts) return false;
  const read = (part: string) => Number(parts[part] ?? 0);
  const [hour, minute, second] = [read("hour"), read("minute"), read("second")];
  const [offsetHour, offsetMinute] = [read("offsetHour"), read("offsetMinute")];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  const offset = (parts.sign === "-" ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  const utcMinute = (hour * 60 + minute - offset + 2 * 1440) % 1440;
  return second < 60 || utcMinute === 1439;
}

/** Returns whether a text is an RFC 3339 `date-time`. */
function isDateTime(text: string): boolean {
  return /^[Tt]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

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

/** Returns whether a text is an RFC 5321 `Mailbox`. */
function isEmail(text: string): boolean {
  return isMailbox(text, "", isHostname);
}

/**
 * Returns whether a text is an RFC 6531 `Mailbox`. The library's own check takes exponential time on forty letters `é`
 * before a space, and writes to the console when the domain is invalid.
 */
function isIdnEmail(text: string): boolean {
  return isMailbox(text, "\\u{80}-\\u{10ffff}", (domain) => isIdnHostname(domain.normalize()));
}

function isMailbox(text: string, moreLetters: string, isDomain: (text: string) => boolean): boolean {
  const at = text.lastIndexOf("@");
  const atom = `[a-z0-9!#$%&'*+/=?^_\`{|}~${moreLetters}\\-]+`;
  const quoted = `"(?:[ !#-\\[\\]-~${moreLetters}]|\\\\[ -~])*"`;
  const local = new RegExp(`^(?:${atom}(?:\\.${atom})*|${quoted})$`, "iu");
  const domain = text.slice(at + 1);
  return at >= 0 && local.test(text.slice(0, at)) && (isDomain(domain) || isAddressLiteral(domain));
}

function isAddressLiteral(text: string): boolean {
  const parts = /^\[(?:(IPv6:)(.*)|(.*))\]$/is.exec(text);
  if (!parts) return false;
  return parts[1] ? isIPv6(parts[2] ?? "") : isIPv4(parts[3] ?? "");
}
