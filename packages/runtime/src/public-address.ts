import { BlockList, isIP } from "node:net";

/**
 * Returns whether an IP address belongs to the public internet. IPv4: all but the special ranges. IPv6: only the global
 * unicast range, without its ranges for tunnels, documentation and special protocols.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !specialIpv4.check(address, "ipv4");
  if (family === 6 && !address.includes("%"))
    return globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
  return false;
}

const specialIpv4 = subnets("ipv4", [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16"],
  ...["192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  // A platform service of a cloud provider, on an otherwise public address.
  "168.63.129.16/32",
]);
const globalIpv6 = subnets("ipv6", ["2000::/3"]);
const specialIpv6 = subnets("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]);

function subnets(family: "ipv4" | "ipv6", ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", prefix] = range.split("/");
    list.addSubnet(network, Number(prefix), family);
  }
  return list;
}
