import { createSocket, type RemoteInfo } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { fetchVideo } from "./fetch-video.ts";
import { resolveAtNameServers, resolveWithSystem } from "./resolve-name.ts";

const nameServer = createSocket("udp4");
/** What was asked for, such as `A films.example`. */
let asked: string[];
/** Where names are asked for, if not at the name server of these tests. */
let elsewhere: string | undefined;

vi.mock("node:dns/promises", async (original) => {
  const real = await original<typeof import("node:dns/promises")>();
  class Resolver extends real.Resolver {
    constructor(options: ConstructorParameters<typeof real.Resolver>[0]) {
      super(options);
      this.setServers([elsewhere ?? `127.0.0.1:${nameServer.address().port}`]);
    }
  }
  return { ...real, lookup: vi.fn(real.lookup), Resolver };
});

beforeAll(async () => {
  nameServer.on("message", answer).bind(0, "127.0.0.1");
  await once(nameServer, "listening");
});
beforeEach(() => {
  asked = [];
  elsewhere = undefined;
});
afterAll(() => void nameServer.close());

/** The first label of a name says what becomes of a question for it: `AN-OK` is, of A, nothing, of AAAA, an address. */
function answer(query: Buffer, from: RemoteInfo): void {
  const labels: string[] = [];
  let at = 12;
  for (; query[at]; at += 1 + Number(query[at]))
    labels.push(query.toString("latin1", at + 1, at + 1 + Number(query[at])));
  const type = query.readUInt16BE(at + 1) === 1 ? "A" : "AAAA";
  asked.push(`${type} ${labels.join(".")}`);
  const [ofA = "", ofAaaa = ofA] = labels[0]?.split("-") ?? [];
  const said = type === "A" ? ofA : ofAaaa;
  const isAgain = asked.filter((question) => question === asked.at(-1)).length > 1;
  if (said === "silent") return;
  const record = said === "alias" ? Buffer.concat([aliasRecord, addressRecord(type, realName)]) : addressRecord(type);
  const code = { servfail: 2, absent: 3, refused: 5, once: isAgain ? 0 : 2 }[said] ?? 0;
  const count = code > 0 || said === "none" ? 0 : said === "alias" ? 2 : 1;
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
  ["of which IPv6 cannot be asked for", "ok-servfail.example", [ipv4]],
  ["of which IPv4 cannot be asked for", "refused-ok.example", [ipv6]],
  ["whose name servers fail once", "once.example", [ipv4, ipv6]],
])("a name %s gives every address that it has", async (_name, hostname, addresses) => {
  expect(await resolveAtNameServers(hostname)).toEqual(addresses);
});

test("where no name server can be asked, the system tells of a name", async () => {
  const closed = createSocket("udp4").bind(0, "127.0.0.1");
  await once(closed, "listening");
  elsewhere = `127.0.0.1:${closed.address().port}`;
  closed.close();
  await once(closed, "close");
  expect(await resolveAtNameServers("localhost")).toContainEqual({ address: "127.0.0.1", family: 4 });
});

test("a name is asked for as it is, without what the system would add to it", async () => {
  await expect(resolveAtNameServers("absent")).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect(asked.toSorted()).toEqual(["A absent", "AAAA absent"]);
});

test("a name whose servers are silent about one family is given with the other, some time after that came", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let passedMs = 0;
  let addresses: Awaited<ReturnType<typeof resolveAtNameServers>> | undefined;
  void resolveAtNameServers("ok-silent.example").then((found) => {
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

test("a name of the operator's is resolved by the system, and once more where that fails for now", async () => {
  const forNow = Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" });
  vi.mocked(lookup).mockRejectedValueOnce(forNow);
  expect(await resolveWithSystem("localhost")).not.toEqual([]);
  vi.mocked(lookup).mockRejectedValueOnce(forNow).mockRejectedValueOnce(forNow);
  await expect(resolveWithSystem("localhost")).rejects.toBe(forNow);
  vi.mocked(lookup).mockRejectedValueOnce(forNow);
  await expect(resolveWithSystem("localhost", AbortSignal.abort())).rejects.toBe(forNow);
  expect(asked).toEqual([]);
});

test("an abort ends the asking", async () => {
  const given = new AbortController();
  nameServer.once("message", () => given.abort());
  await expect(resolveAtNameServers("silent.example", given.signal)).rejects.toMatchObject({ code: "ECANCELLED" });
});

async function fetchFrom(host: string, options: { allowHosts?: string[]; signal?: AbortSignal } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "resolve-name-"));
  const usual = { allowHosts: [], maxBytes: 1000, totalMs: 60_000, minBytesPerSecond: 0 };
  try {
    const { bytes } = await fetchVideo(`http://${host}/`, join(folder, "kept"), { ...usual, ...options });
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
  ["servfail.example", "cannot be looked up right now"],
  ["refused.example", "cannot be looked up right now"],
  ["absent-servfail.example", "cannot be looked up right now"],
])("what name servers say of %s is told as it is", async (host, words) => {
  expect(await fetchFrom(host)).toContain(words);
});

test("while name servers of strangers are silent, other names are resolved and other videos come", async () => {
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
