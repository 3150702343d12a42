import { isIPv4, isIPv6 } from "@hyperjump/json-schema-formats";
import { isHostname, isIdnHostname } from "./hostname.ts";

/** Returns whether a text is an RFC 5321 `Mailbox`. */
export function isEmail(text: string): boolean {
  return isMailbox(text, "", isHostname);
}

/**
 * Returns whether a text is an RFC 6531 `Mailbox`. The library's own check takes exponential time on forty letters `é`
 * before a space, and writes to the console when the domain is invalid.
 */
export function isIdnEmail(text: string): boolean {
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
