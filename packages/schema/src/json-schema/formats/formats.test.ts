import { expect, test, vi } from "vitest";
import { formats } from "./formats.ts";

function accepts(name: string, text: string): boolean {
  const format = formats.get(name);
  if (typeof format === "function") return (format as (text: string) => boolean)(text);
  return format instanceof RegExp && format.test(text);
}

const cases: Record<string, { good: string[]; bad: string[] }> = {
  date: { good: ["2024-02-29", "0000-01-01"], bad: ["2023-02-29", "2024-13-01", "2024-1-1", "2024-01-01\n"] },
  time: {
    good: ["00:00:00Z", "23:59:60Z", "15:59:60-08:00", "12:00:00.123456789012345+23:59"],
    bad: ["24:00:00Z", "12:00:00", "22:59:60Z", "12:00:00+01", "12:00:60Z"],
  },
  "date-time": {
    good: ["1985-04-12T23:20:50.52Z", "1998-12-31t23:59:60z", "2040-06-30T23:59:60Z"],
    bad: ["1985-04-12 23:20:50Z", "1985-04-12", "1985-04-12T"],
  },
  duration: { good: ["P1Y2M3DT4H5M6S", "PT36H", "P4W"], bad: ["P", "P1Y2D", "PT1H2S", "P1W2D", "1D"] },
  email: {
    good: ["a.b+c@example.com", '"a b"@example.com', "a@[127.0.0.1]", "a@[IPv6:::1]"],
    bad: [".a@b.c", "a@b@c", "a", "a@-b.c"],
  },
  "idn-email": { good: ["실례@실례.테스트", "é@[IPv6:::1]"], bad: ["2962", "a＠b.c", "a@\u0080"] },
  hostname: {
    good: ["www.example.com", "a", "xn--4gbwdl.xn--wgbh1c", "ab--cd.e", "xn--5be"],
    bad: ["", "a.", "-a.b", "a_b", "xn--X", "é.fr", "a".repeat(64), "xn----vek", "a.".repeat(127)],
  },
  "idn-hostname": {
    good: ["실례.테스트", "l·l", "ب۰", "faß.de", "ab--cd.e"],
    bad: ["〮한", "a·b", "٠۰", "a..b", "\u0300a", "שa.b", "a٠", "É.fr", "e\u0301.fr", "é\u00ad"],
  },
  ipv6: { good: ["::1", "1::", "::ffff:1.2.3.4"], bad: ["1:2:3", "::1%eth0", "12345::"] },
  uri: {
    good: ["http://a/b?c#d", "urn:a:b", "mailto:x@y", "http://[::1]:80/", "http://[v1.a]"],
    bad: ["//a", "a", "http://a b", "http://a:b/", "http://[1]/", "http://[v1.a", "http://a/[b]", "1:a"],
  },
  "uri-reference": { good: ["", "//a", "../b", "#c", "a%20b"], bad: ["a b", "%zz", "1:a", "\\a", '"'] },
  iri: { good: ["http://é/ñ?ü", "http://[V1.fe]"], bad: ["/é", "http://é é"] },
  "uri-template": { good: ["/a{?b,c*}{+d:3}", "{a.b}", "it's"], bad: ["{", "{a", "a b", "{/id*"] },
  uuid: {
    good: ["2eb8aa08-aa98-11ea-b4aa-73b441d16380"],
    bad: ["urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380", "2eb8aa08aa9811eab4aa73b441d16380"],
  },
  regex: { good: ["^(a|b)$", "\\p{L}"], bad: ["(", "\\a", "^(?<!"] },
};

test("each format accepts what its document defines and nothing else", () => {
  for (const [name, { good, bad }] of Object.entries(cases)) {
    for (const text of good) expect(accepts(name, text), `${name} ${text}`).toBe(true);
    for (const text of bad) expect(accepts(name, text), `${name} ${text}`).toBe(false);
  }
});

test("a bad value never reaches the log", () => {
  const consoles = (["log", "warn", "error"] as const).map((method) => vi.spyOn(console, method));
  for (const [name, { bad }] of Object.entries(cases)) for (const text of bad) accepts(name, text);
  for (const spy of consoles) expect(spy).not.toHaveBeenCalled();
});

test("every format handles a hostile text of 100 kB quickly", () => {
  const long = 50_000;
  const texts = [
    "a".repeat(long),
    "a.".repeat(long),
    "1".repeat(long),
    "%41".repeat(long),
    `http://${"a@".repeat(long)}`,
    `{${"a,".repeat(long)}`,
    "é".repeat(long),
    `"${"\\ ".repeat(long)}`,
    `http://[${"1:".repeat(long)}`,
    `a:${"/b".repeat(long)}`,
    `xn--${"9".repeat(2 * long)}`,
    "\u200c".repeat(long),
    `${"é".repeat(60)} @a`,
    `00:00:00.${"1".repeat(2 * long)}`,
  ];
  const before = process.cpuUsage();
  for (const name of formats.keys()) for (const text of texts) accepts(name, `${text}\n`);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(3000);
});
