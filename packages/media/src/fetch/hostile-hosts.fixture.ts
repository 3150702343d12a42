/** Hosts as a URL may name them that lead to this machine, however they are written; for tests. */
export const hostsOfThisMachine: readonly string[] = [
  ...["127.0.0.1", "127.1", "127.0.1", "127.0.0.1.", "127.255.255.254", "2130706433", "0x7f.0.0.1", "0x7f000001"],
  ...["0x7f.1", "0177.0.0.1", "017700000001", "0X7F.0.0.0x1", "0", "0.0.0.0", "0x0", "%31%32%37.0.0.1"],
  // Digits, dots and letters that are taken for the plain ones.
  ...[
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127．0．0．1",
    "１２７.0.0.1",
    "𝟭𝟮𝟳.0.0.1",
    "127%2e0.0.1",
    "lo\u00adcalhost",
    "ⓛocalhost",
  ],
  ...["[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
  ...["[::ffff:0:7f00:1]", "[::ffff:0.0.0.0]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]"],
  ...["localhost", "LOCALHOST", "localhost.", "localhost..", "a.localhost", "a.b.localhost.", "x.localdomain"],
];

/** Hosts as a URL may name them that belong to other networks than the public one, or to nobody; for tests. */
export const otherPrivateHosts: readonly string[] = [
  ...["10.1.2.3", "10.0x10203", "172.16.0.1", "172.31.255.255", "192.168.1.1", "0300.0250.1.1", "3232235777"],
  ...["169.254.169.254", "169.254.170.2", "0xA9FEA9FE", "2852039166", "0251.0376.0251.0376", "168.63.129.16"],
  ...["100.64.0.1", "100.100.100.200", "100.127.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1"],
  ...["198.19.255.255", "198.51.100.1", "203.0.113.7", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255"],
  ...["[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[fd12:3456::1]", "[fec0::1]", "[ff02::1]", "[100::1]", "[3fff::1]"],
  ...["[2001::1]", "[2001:db8::1]", "[2002:a9fe:a9fe::]", "[5f00::1]", "[4000::1]", "[::ffff:a9fe:a9fe]"],
  ...["[::ffff:8.8.8.8]", "[::8.8.8.8]", "[64:ff9b::a9fe:a9fe]"],
  ...["metadata.google.internal", "METADATA.google.INTERNAL.", "printer.local", "app.lan", "x.home.arpa"],
  ...["wiki.intranet", "a.internal", "internal"],
];

/** Addresses that a resolver may answer with for an innocent name, none of them public; for tests. */
export const privateAnswers: readonly string[] = [
  ...["127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.5", "172.20.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1"],
  ...["168.63.129.16", "192.0.0.8", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::1", "::", "::ffff:127.0.0.1"],
  ...["::ffff:169.254.169.254", "::127.0.0.1", "fe80::1", "fe80::1%lo", "2606:4700::1111%lo", "fd00::1", "fec0::1"],
  ...["ff02::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "2001:0:7f00:1::", "3fff::1", "100::1"],
  ...["", "localhost", "127.1", "0x7f000001", "8.8.8.8/32"],
];
