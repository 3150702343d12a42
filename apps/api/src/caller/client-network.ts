import { isIPv4, isIPv6 } from "node:net";

/**
 * Returns the network that rate limits count as one client: a whole IPv4 address, or the first 64 bits of an IPv6
 * address (`2001:db8:0:1::/64`), which usually belong to one household or server. Returns "unknown" for anything else.
 */
export function clientNetwork(ip: string | undefined): string {
  const [address = ""] = (ip ?? "").split("%");
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  if (!isIPv6(mapped)) return "unknown";
  const [head = [], tail] = mapped.split("::").map(groupsOf);
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<number>(zeros).fill(0), ...(tail ?? [])];
  const prefix = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(":")}::/64`;
}

/** Parses groups of 16 bits. An IPv4 address at the end is two groups, whose values do not matter here. */
function groupsOf(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => (group.includes(".") ? [0, 0] : [Number.parseInt(group, 16)]));
}
