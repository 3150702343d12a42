import { isHostname, isIdnHostname } from "./hostname.ts";
import { isIpv4, isIpv6 } from "./ip.ts";

/** RFC 5321 `Mailbox`. */
export function isEmail(text: string): boolean {
  return isMailbox(text, "", isHostname);
}

/** RFC 6531 `Mailbox`. */
export function isIdnEmail(text: string): boolean {
  return isMailbox(text, "\\u{80}-\\u{10ffff}", (domain) => isIdnHostname(domain.normalize("NFC")));
}

function isMailbox(text: string, more: string, isDomain: (text: string) => boolean): boolean {
  const at = text.lastIndexOf("@");
  if (at < 0) return false;
  const atom = `[a-z0-9!#$%&'*+/=?^_\`{|}~${more}\\-]+`;
  const quoted = `"(?:[ !#-\\[\\]-~${more}]|\\\\[ -~])*"`;
  const local = new RegExp(`^(?:${atom}(?:\\.${atom})*|${quoted})$`, "iu");
  return local.test(text.slice(0, at)) && (isDomain(text.slice(at + 1)) || isAddress(text.slice(at + 1)));
}

function isAddress(text: string): boolean {
  const inside = /^\[(?:(IPv6:)(.*)|(.*))\]$/is.exec(text);
  if (!inside) return false;
  return inside[1] ? isIpv6(inside[2] ?? "") : isIpv4(inside[3] ?? "");
}
