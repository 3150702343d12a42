import { expect, test } from "vitest";
import { clientNetwork, clientNetworks } from "./requests.ts";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["::FFFF:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["1::2:3:4:5:6:7", "1:0:2:3::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::", "0:0:0:0::/64"],
  ["1:2:3:4:5:6:7::", "1:2:3:4::/64"],
  ["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("%s counts as %s", (ip, address) => {
  expect(clientNetwork(ip)).toBe(address);
});

test.each([undefined, "", "unknown", "203.0.113.7:80", "_hidden", "x".repeat(10_000)])(
  "everything that is not an address (%s) counts as one network",
  (ip) => {
    expect(clientNetwork(ip)).toBe("unknown");
  },
);

test.each([
  ["203.0.113.7", ["203.0.113.0/24"]],
  ["2001:db8:1:2ff::1", ["2001:db8:1:200::/56", "2001:db8:1:0::/48"]],
  ["nothing", ["unknown"]],
])("sign-ins from %s count for %j", (ip, networks) => {
  expect(clientNetworks(ip)).toEqual(networks);
});
