import { plainMarks } from "./tokens.ts";

/** E-mail and web addresses, names of accounts, files and variables: text without spaces in which each mark has a meaning. */
const addresses =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]*@[\p{L}\p{N}][\p{L}\p{N}._-]*|(?<![\p{L}\p{N}_-])(?:(?:[\p{L}\p{N}-]+\.)+\p{Ll}{2,}(?:\/[^\s"'<>()]*)?|[\p{L}\p{N}-]+_[\p{L}\p{N}._-]*)/gu;

/**
 * Returns whether a text has each address of a quote to the letter. Readers of screens put spaces beside marks, and
 * read an underscore as a space. Case matters in the path of a web address only. For use inside the sandbox only.
 */
export function hasAddresses(text: string, quote: string): boolean {
  const source = plainMarks(text).replace(/ ?([_/]) ?| ?(@) /g, "$1$2");
  const spaced = source.replaceAll("_", " ");
  const lower = spaced.toLowerCase();
  return (plainMarks(quote).match(addresses) ?? []).every((address) => {
    const [, name = "", rest = ""] = /^([^/]*[\p{L}\p{N}])(.*?)[^\p{L}\p{N}]*$/u.exec(address) ?? [];
    const [host, path] = [name.toLowerCase().replaceAll("_", " "), rest.replaceAll("_", " ")];
    // The same letters may be only a part of another address.
    const before = name.includes("@") ? /[\p{L}\p{N}._%+-]$/u : /[\p{L}\p{N}_-]$/u;
    const after = /^(?:[\p{L}\p{N}_@-]|\.\p{L})/u;
    for (let at = lower.indexOf(host); at >= 0; at = lower.indexOf(host, at + 1)) {
      const [pathAt, end] = [at + host.length, at + host.length + path.length];
      const isPart = before.test(source.slice(Math.max(0, at - 2), at)) || after.test(source.slice(end, end + 3));
      if (!isPart && spaced.startsWith(path, pathAt)) return true;
    }
    return false;
  });
}
