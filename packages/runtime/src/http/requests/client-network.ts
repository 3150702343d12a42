import { isIPv4, isIPv6 } from "node:net";

const groupBits = 16;

/**
 * Returns the networks that sign-ins and fetches are counted by, as one owner gets them: the /24 of an IPv4 address; the /56 and the
 * /48 of an IPv6 address, narrow first. Returns "unknown" for anything else.
 */
export function clientNetworks(ip: string | undefined): string[] {
  const narrow = clientNetwork(ip);
  if (isIPv4(narrow)) return [`${narrow.replace(/\d+$/, "0")}/24`];
  if (narrow === "unknown") return [narrow];
  const groups = groupsOf(narrow.replace("::/64", ""));
  const cut = (bits: number) =>
    groups.map((group, index) => group & (0xffff << Math.min(groupBits, Math.max(0, groupBits * (index + 1) - bits))));
  return [56, 48].map(
    (bits) =>
      `${cut(bits)
        .map((group) => group.toString(16))
        .join(":")}::/${bits}`,
  );
}

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
