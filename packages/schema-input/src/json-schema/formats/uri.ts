import { isIpv6 } from "./ip.ts";

const unicode = "\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}\\u{10000}-\\u{effff}";
const privateUse = "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{10ffff}";
const plain = "a-z0-9\\-._~!$&'()*+,;=";

/** RFC 3986 `URI`. */
export const isUri = (text: string): boolean => isReference(text, ascii, true);

/** RFC 3986 `URI-reference`. */
export const isUriReference = (text: string): boolean => isReference(text, ascii, false);

/** RFC 3987 `IRI`. */
export const isIri = (text: string): boolean => isReference(text, international, true);

/** RFC 3987 `IRI-reference`. */
export const isIriReference = (text: string): boolean => isReference(text, international, false);

type Parts = { user: RegExp; name: RegExp; path: RegExp; query: RegExp; fragment: RegExp };

const only = (marks: string) => new RegExp(`^(?:[${marks}]|%[0-9a-f]{2})*$`, "iu");
const parts = (more: string, inQuery: string): Parts => ({
  user: only(`${plain}:${more}`),
  name: only(plain + more),
  path: only(`${plain}:@/${more}`),
  query: only(`${plain}:@/?${more}${inQuery}`),
  fragment: only(`${plain}:@/?${more}`),
});
const ascii = parts("", "");
const international = parts(unicode, privateUse);

function isReference(text: string, { user, name, path, query, fragment }: Parts, isAbsolute: boolean): boolean {
  const split = /^(?:([^:/?#]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/su.exec(text);
  if (!split) return false;
  const [, scheme, authority, way = "", question = "", hash = ""] = split;
  if (scheme === undefined ? isAbsolute : !/^[a-z][a-z0-9+\-.]*$/i.test(scheme)) return false;
  return (
    path.test(way) && query.test(question) && fragment.test(hash) && (authority === undefined || isAuthority(authority))
  );

  function isAuthority(whole: string): boolean {
    const at = whole.indexOf("@");
    const address = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/s.exec(whole.slice(at + 1));
    const host = address?.[1];
    if (host === undefined || (at >= 0 && !user.test(whole.slice(0, at)))) return false;
    return host.startsWith("[") ? isLiteral(host.slice(1, -1)) : name.test(host);
  }
}

function isLiteral(text: string): boolean {
  return isIpv6(text) || /^v[0-9a-f]+\.[a-z0-9\-._~!$&'()*+,;=:]+$/i.test(text);
}

const variable = "(?:\\w|%[0-9a-f]{2})(?:\\.?(?:\\w|%[0-9a-f]{2}))*(?::[1-9]\\d{0,3}|\\*)?";
const template = new RegExp(
  `^(?:[\\x21\\x23\\x24\\x26-\\x3b\\x3d\\x3f-\\x5b\\x5d\\x5f\\x61-\\x7a\\x7e${unicode}${privateUse}]|%[0-9a-f]{2}|\\{[+#./;?&=,!@|]?${variable}(?:,${variable})*\\})*$`,
  "iu",
);

/** RFC 6570, with the apostrophe that its errata allow. */
export function isUriTemplate(text: string): boolean {
  return template.test(text);
}
