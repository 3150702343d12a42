/** Dotted decimal without leading zeros. */
export function isIpv4(text: string): boolean {
  const bytes = text.split(".");
  return bytes.length === 4 && bytes.every((byte) => /^(?:0|[1-9]\d{0,2})$/.test(byte) && Number(byte) <= 255);
}

/** RFC 4291 text form, without a zone. */
export function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const all = groups.flat();
  const last = all.at(-1) ?? "";
  // An IPv4 address may only stand at the very end, where it takes the place of two groups.
  const hasIpv4 = last.includes(".") && text.endsWith(last);
  if (hasIpv4 && !isIpv4(last)) return false;
  const hex = hasIpv4 ? all.slice(0, -1) : all;
  const count = hex.length + (hasIpv4 ? 2 : 0);
  return hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
}
