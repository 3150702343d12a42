import { createSocket, type RemoteInfo } from "node:dgram";
import { lookup, Resolver } from "node:dns/promises";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, type Mock, test, vi } from "vitest";
import { fetchVideo } from "./fetch-video.ts";
import { type Dns, type Resolve, resolveAtNameServers, resolveWithSystem } from "./guarded-agent.ts";
import { saveFile } from "./save-file.harness.ts";

const nameServer = createSocket("udp4");
/** The questions that the name server received, such as `A films.example`. */
let asked: string[];
/** Address of a name server to use instead, if any. */
let elsewhere: string | undefined;

class LocalResolver extends Resolver {
  constructor(options: ConstructorParameters<typeof Resolver>[0]) {
    super(options);
    this.setServers([elsewhere ?? `127.0.0.1:${nameServer.address().port}`]);
  }
}
/** Node's DNS with the name server of these tests. */
const dns = { lookup: vi.fn(lookup), Resolver: LocalResolver } as Dns & { lookup: Mock };
const atNameServers: Resolve = (hostname, signal) => resolveAtNameServers(hostname, signal, dns);
const withSystem: Resolve = (hostname, signal) => resolveWithSystem(hostname, signal, dns);

beforeAll(async () => {
  nameServer.on("message", answer).bind(0, "127.0.0.1");
  await once(nameServer, "listening");
});
beforeEach(() => {
  asked = [];
  elsewhere = undefined;
});
afterAll(() => void nameServer.close());

/**
 * The first label of a name selects the answer. Its parts are for A and for AAAA: `none-ok` has an IPv6 address only.
 */
function answer(query: Buffer, from: RemoteInfo): void {
  const labels: string[] = [];
  let at = 12;
  for (; query[at]; at += 1 + Number(query[at]))
    labels.push(query.toString("latin1", at + 1, at + 1 + Number(query[at])));
  const type = query.readUInt16BE(at + 1) === 1 ? "A" : "AAAA";
  asked.push(`${type} ${labels.join(".")}`);
  const [forA = "", forAaaa = forA] = labels[0]?.split("-") ?? [];
  const kind = type === "A" ? forA : forAaaa;
  const isAgain = asked.filter((question) => question === asked.at(-1)).length > 1;
  if (kind === "silent") return;
  const record = kind === "alias" ? Buffer.concat([aliasRecord, addressRecord(type, realName)]) : addressRecord(type);
  const code = { servfail: 2, absent: 3, refused: 5, once: isAgain ? 0 : 2 }[kind] ?? 0;
  const count = code > 0 || kind === "none" ? 0 : kind === "alias" ? 2 : 1;
  const head = Buffer.from([...query.subarray(0, 2), 0x81, 0x80 | code, 0, 1, 0, count, 0, 0, 0, 0]);
  const question = query.subarray(12, at + 5);
  nameServer.send(Buffer.concat([head, question, ...(count > 0 ? [record] : [])]), from.port, from.address);
}

const askedName = Buffer.from([0xc0, 12]);
const realName = Buffer.from("\x04real\x07example\0", "latin1");
const aliasRecord = Buffer.concat([askedName, Buffer.from([0, 5, 0, 1, 0, 0, 0, 9, 0, realName.length]), realName]);

function addressRecord(type: string, name = askedName): Buffer {
  const address = type === "A" ? [8, 8, 4, 4] : [0x26, 6, 0x47, 0, ...Array(11).fill(0), 1];
  const head = [0, type === "A" ? 1 : 28, 0, 1, 0, 0, 0, 9, 0, address.length];
  return Buffer.concat([name, Buffer.from([...head, ...address])]);
}

const ipv4 = { address: "8.8.4.4", family: 4 };
const ipv6 = { address: "2606:4700::1", family: 6 };

test.each([
  ["with addresses of both families", "ok.example", [ipv4, ipv6]],
  ["written with a dot at its end", "ok.example.", [ipv4, ipv6]],
  ["with an underscore", "ok.a_b.example", [ipv4, ipv6]],
  ["that is an alias", "alias.example", [ipv4, ipv6]],
  ["without IPv6", "ok-none.example", [ipv4]],
  ["without IPv4", "none-ok.example", [ipv6]],
  ["whose IPv6 lookup fails", "ok-servfail.example", [ipv4]],
  ["whose IPv4 lookup is refused", "refused-ok.example", [ipv6]],
  ["whose name servers fail once", "once.example", [ipv4, ipv6]],
])("a name %s resolves to all its addresses", async (_name, hostname, addresses) => {
  expect(await atNameServers(hostname)).toEqual(addresses);
});

test("without a reachable name server, the system resolves the name", async () => {
  const closed = createSocket("udp4").bind(0, "127.0.0.1");
  await once(closed, "listening");
  elsewhere = `127.0.0.1:${closed.address().port}`;
  closed.close();
  await once(closed, "close");
  expect(await atNameServers("localhost")).toContainEqual({ address: "127.0.0.1", family: 4 });
});

test("a name is resolved without the system's search list", async () => {
  await expect(atNameServers("absent")).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect(asked.toSorted()).toEqual(["A absent", "AAAA absent"]);
});

test("a name whose servers never answer for one family resolves to the other after four seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let passedMs = 0;
  let addresses: Awaited<ReturnType<Resolve>> | undefined;
  void atNameServers("ok-silent.example").then((found) => {
    addresses = found;
  });
  while (!addresses) {
    await new Promise(setImmediate);
    if (vi.getTimerCount() === 0) continue;
    vi.advanceTimersByTime(1000);
    passedMs += 1000;
  }
  vi.useRealTimers();
  expect([addresses, passedMs]).toEqual([[ipv4], 4000]);
});

test("the system resolves an operator's name, and tries once more after a transient error", async () => {
  const transient = Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" });
  dns.lookup.mockRejectedValueOnce(transient);
  expect(await withSystem("localhost")).not.toEqual([]);
  dns.lookup.mockRejectedValueOnce(transient).mockRejectedValueOnce(transient);
  await expect(withSystem("localhost")).rejects.toBe(transient);
  dns.lookup.mockRejectedValueOnce(transient);
  await expect(withSystem("localhost", AbortSignal.abort())).rejects.toBe(transient);
  expect(asked).toEqual([]);
});

test("an abort cancels the resolution", async () => {
  const given = new AbortController();
  nameServer.once("message", () => given.abort());
  await expect(atNameServers("silent.example", given.signal)).rejects.toMatchObject({ code: "ECANCELLED" });
});

type FetchFrom = { allowHosts?: string[]; signal?: AbortSignal };

async function fetchFrom(host: string, options: FetchFrom = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "resolve-name-"));
  const usual = { dns, allowHosts: [], maxBytes: 1000, totalMs: 60_000, minBytesPerSecond: 0 };
  try {
    const { bytes } = await fetchVideo(`http://${host}/`, saveFile(join(folder, "kept")), { ...usual, ...options });
    return `${bytes} bytes`;
  } catch (error) {
    return String(error);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each([
  ["absent.example", "host name was not found"],
  ["none.example", "host name was not found"],
  [`${"a".repeat(70)}.example`, "host name was not found"],
  ["servfail.example", "cannot be resolved right now"],
  ["refused.example", "cannot be resolved right now"],
  ["absent-servfail.example", "cannot be resolved right now"],
])("the error for %s says what the name servers answered", async (host, words) => {
  expect(await fetchFrom(host)).toContain(words);
});

test("while foreign name servers are silent, other names resolve and other videos are downloaded", async () => {
  const server = createServer((_, response) => response.end("\0\0\0\x18ftyp")).listen(0, "localhost");
  await once(server, "listening");
  const given = new AbortController();
  const waiting = Array.from({ length: 12 }, (_, index) =>
    fetchFrom(`silent.x${index}.example`, { signal: given.signal }),
  );
  while (new Set(asked).size < 2 * waiting.length) await once(nameServer, "message");
  const own = `localhost:${(server.address() as AddressInfo).port}`;
  const other = await Promise.race([fetchFrom(own, { allowHosts: [own] }), ...waiting]);
  expect(other).toBe("8 bytes");
  expect(await Promise.race([lookup("localhost").then(() => "resolved"), ...waiting])).toBe("resolved");
  given.abort(new Error("the caller left"));
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["Error: the caller left"]));
  server.close();
});
