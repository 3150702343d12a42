import { isIPv4, isIPv6 } from "node:net";

/**
 * The address that stands for whoever sends from `ip`: an IPv4 address whole, of an IPv6 address the first 64 bits
 * (`2001:db8:0:1::/64`), which is what one household or server has to itself. "unknown" for anything else.
 */
export function addressOf(ip: string | undefined): string {
  const [address = ""] = (ip ?? "").split("%");
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  if (!isIPv6(mapped)) return "unknown";
  const [head = [], tail] = mapped.split("::").map(groupsOf);
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<number>(zeros).fill(0), ...(tail ?? [])];
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** Groups of 16 bits; an IPv4 address at the end is two of them, of no interest here. */
function groupsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => (group.includes(".") ? [0, 0] : [Number.parseInt(group, 16)]));
}
