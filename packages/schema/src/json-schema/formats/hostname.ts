import { isHostname as isAsciiHostname } from "@hyperjump/json-schema-formats";
import { isIdnHostname as assertIdnHostname, uts46map } from "idn-hostname";

// No valid name is longer, in Unicode or ASCII. The limit keeps the check fast for any text.
const maxLength = 1000;

/** Returns whether a text is an RFC 1123 host name. A label with `xn--` must encode a valid international label. */
export function isHostname(text: string): boolean {
  if (/(?:^|\.)xn--/i.test(text)) return isAscii(text) && isInternational(text);
  return text.length <= 253 && isAsciiHostname(text);
}

/** Returns whether a text is a host name whose labels may be written in Unicode (RFC 5890 to 5893). */
export function isIdnHostname(text: string): boolean {
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
