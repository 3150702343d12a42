import { isIdnLabel, keepsBidiRule } from "./idn-label.ts";
import { decodePunycode, encodePunycode } from "./punycode.ts";

/** RFC 1123 with RFC 5891: labels of letters, digits and hyphens, where those with `xn--` must stand for a valid U-label. */
export function isHostname(text: string): boolean {
  return /^[ -~]*$/.test(text) && isIdnHostname(text);
}

/** RFC 5890: a host name whose labels may be written in Unicode, with any of the four full stops between them. */
export function isIdnHostname(text: string): boolean {
  // Longer than any name can be, so not worth encoding.
  if (text.length > 1000) return false;
  const labels = text.split(/[.\u3002\uff0e\uff61]/).map(readLabel);
  const read = labels.filter((label) => label !== undefined);
  if (read.length < labels.length) return false;
  return read.map(({ ascii }) => ascii).join(".").length <= 253 && keepsBidiRule(read.map(({ unicode }) => unicode));
}

/** A label in both spellings, or undefined when it is none. */
function readLabel(label: string): { ascii: string; unicode: string } | undefined {
  if (label.startsWith("-") || label.endsWith("-")) return undefined;
  if (/^xn--/i.test(label)) {
    const unicode = /^[ -~]*$/.test(label) ? decodePunycode(label.slice(4)) : undefined;
    const isOwn = unicode !== undefined && `xn--${encodePunycode(unicode)}` === label.toLowerCase();
    return isOwn && !/^[ -~]*$/.test(unicode) ? checked(label, unicode) : undefined;
  }
  if (/^[a-z0-9-]+$/i.test(label)) return label.length <= 63 ? { ascii: label, unicode: label } : undefined;
  return checked(`xn--${encodePunycode(label)}`, label);
}

function checked(ascii: string, unicode: string): { ascii: string; unicode: string } | undefined {
  return ascii.length <= 63 && isIdnLabel(unicode) ? { ascii, unicode } : undefined;
}
