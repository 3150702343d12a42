import { isJsonObject } from "@video-to-json/contract";
import { damageBytes } from "@video-to-json/testing/running";
import fc from "fast-check";
import corpus from "./corpus.json" with { type: "json" };
import {
  anyInstructions,
  anySchema,
  anyText,
  latin,
  often,
  pick,
  tampered,
  textOf,
  usableSchema,
  videoBytes,
  videoUrl,
} from "./values.ts";

/** A generated request, and how it is sent. */
export type FuzzRequest = {
  kind: string;
  bytes: Buffer;
  /** The request is complete: the API must respond. */
  whole: boolean;
  /** The client reads nothing of the response and closes the connection. */
  unread: boolean;
  /** The client pauses after this number of bytes, so that the rest arrives in another packet. */
  pauseAfter: number;
};

/** Generates requests from a seed. The same seed always gives the same requests. Most of them carry the valid `key`. */
export function fuzzRequests(key: string, seed: number, count: number): FuzzRequest[] {
  return fc.sample(fuzzRequest(key), { seed, numRuns: count });
}

/** The kinds of requests. Each kind also has a mutated form: bytes are changed, removed, doubled or cut off. */
export const kinds = {
  forms,
  "JSON bodies": jsonBodies,
  headers,
  paths,
  "MCP, 2026": modernMessages,
  "MCP, earlier": earlierMessages,
  wires,
  abandoned: abandonedRequests,
} satisfies { [kind: string]: (key: string) => fc.Arbitrary<Buffer> };

const perhapsPartial: ReadonlySet<string> = new Set(["headers", "wires", "abandoned"]);

function fuzzRequest(key: string): fc.Arbitrary<FuzzRequest> {
  const all = Object.entries(kinds).flatMap(([kind, make]) => {
    const unread = kind === "abandoned";
    const complete = make(key).map((bytes) => {
      // Only one method has a response that is an endless stream.
      const whole = !perhapsPartial.has(kind) && !bytes.includes("subscriptions/listen");
      return { kind, bytes, unread, whole };
    });
    const mangled = fc.tuple(make(key), fc.nat()).map(([bytes, seed]) => {
      return { kind: `${kind}, mangled`, bytes: damageBytes(bytes, seed), unread, whole: false };
    });
    return [
      { arbitrary: complete, weight: 2 },
      { arbitrary: mangled, weight: 1 },
    ];
  });
  const pause = fc.oneof({ arbitrary: fc.constant(1), weight: 3 }, fc.double({ min: 0, max: 1, noNaN: true }));
  return fc
    .tuple(fc.oneof(...all), pause)
    .map(([made, at]) => ({ ...made, pauseAfter: Math.floor(at * made.bytes.length) }));
}

type Header = readonly [name: string, value: string];

/** Returns the bytes of a request. It closes its connection unless its headers say otherwise. */
function request(method: string, path: string, given: readonly Header[], body: Buffer | string = ""): Buffer {
  const bytes = Buffer.from(body as string);
  const has = (wanted: string) => given.some(([name]) => name.toLowerCase() === wanted);
  const all = [["Host", "127.0.0.1"], ...(has("connection") ? [] : [["Connection", "close"]]), ...given];
  if (bytes.length > 0 && !has("transfer-encoding")) all.push(["Content-Length", String(bytes.length)]);
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n`, "latin1"), bytes]);
}

const withKey = (key: string): Header => ["Authorization", `Bearer ${key}`];
const headerValue = fc.oneof(pick(corpus.headerValues), anyText.map(latin));
// Few keys for many requests, so that some requests find a job with their key, of the same request or of another.
const idempotency = pick(corpus.idempotencyKeys).map((value): Header[] => [["Idempotency-Key", latin(value)]]);
const oddHeaders = fc.array(fc.tuple(pick(corpus.headers), headerValue), { minLength: 1, maxLength: 2 });
const someHeaders: fc.Arbitrary<readonly Header[]> = fc.oneof(
  { arbitrary: fc.constant([]), weight: 8 },
  idempotency,
  oddHeaders,
);

/** Returns a request with a body. Each of `more` replaces the header of the same name. */
function post(key: string, path: string, usual: readonly Header[], more: readonly Header[], body: Buffer | string) {
  const kept = usual.filter(([name]) => !more.some(([changed]) => changed === name));
  return request("POST", path, [withKey(key), ...kept, ...more], body);
}

const extraction = fc.record(
  { schema: anySchema, video_url: videoUrl, instructions: anyInstructions },
  { requiredKeys: [] },
);
const soundExtraction = fc.record(
  { schema: usableSchema, video_url: videoUrl, instructions: anyInstructions },
  { requiredKeys: ["schema", "video_url"] },
);
const anyExtraction = fc.oneof(soundExtraction, tampered(extraction));

function jsonBodies(key: string): fc.Arbitrary<Buffer> {
  const text = textOf(anyExtraction);
  const body = often(
    text.map((one) => Buffer.from(one)),
    text.map((one) => Buffer.from(one, "utf16le")),
    text.map((one) => Buffer.from(`\ufeff${one}`)),
    text.map((one) => Buffer.from(one, "latin1")),
  );
  const type = often(fc.constant("application/json"), pick(corpus.jsonTypes));
  return fc
    .tuple(body, type, someHeaders)
    .map(([bytes, named, more]) => post(key, "/v1/extract", [["Content-Type", named]], more, bytes));
}

const anyForm = fc.oneof(
  { arbitrary: pick(corpus.validForms), weight: 3 },
  { arbitrary: pick(corpus.oddForms), weight: 6 },
  // More parts than the API takes.
  fc.integer({ min: 61, max: 200 }).map((times) => ({
    type: "multipart/form-data; boundary=b",
    body: `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n{text}\r\n'.repeat(times)}--b--\r\n`,
  })),
);
const contents = fc.record({
  schema: fc
    .oneof(
      usableSchema.map((schema) => JSON.stringify(schema)),
      textOf(anySchema),
    )
    .map(latin),
  video: videoBytes,
  ...{ url: videoUrl.map(latin), instructions: anyInstructions.map(latin), text: anyText.map(latin) },
  long: fc.constant("y".repeat(20_000)),
});

function forms(key: string): fc.Arbitrary<Buffer> {
  return fc.tuple(anyForm, contents, someHeaders).map(([{ type, body }, content, more]) => {
    const text = filled(body, content);
    return post(key, "/v1/extract", [["Content-Type", type]], more, Buffer.from(text, "latin1"));
  });
}

function filled(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

const introduction = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const extractCall = fc.oneof(soundExtraction, extraction).map((args) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name: "extract", arguments: args, _meta: { progressToken: 1 } },
}));
function message(meta: object): fc.Arbitrary<unknown> {
  const all = fc.oneof({ arbitrary: extractCall, weight: 2 }, pick(corpus.messages));
  const introduced = all.map((one) => ({ ...one, params: { ...one.params, _meta: { progressToken: 1, ...meta } } }));
  return fc.oneof(introduced, tampered(introduced));
}

const mcpHeaders: readonly Header[] = [
  ["Content-Type", "application/json"],
  ["Accept", "application/json, text/event-stream"],
];

function modernMessages(key: string): fc.Arbitrary<Buffer> {
  return fc
    .tuple(message(introduction), fc.array(fc.tuple(pick(corpus.headers), headerValue), { maxLength: 1 }))
    .chain(([one, more]) => {
      const { method, params } = isJsonObject(one) ? one : {};
      const name = isJsonObject(params) && typeof params.name === "string" ? params.name : undefined;
      const named: Header[] = [
        ["MCP-Protocol-Version", "2026-07-28"],
        ["Mcp-Method", latin(String(method))],
        ...(name === undefined ? [] : [["Mcp-Name", latin(name)] as const]),
      ];
      return textOf(fc.constant(one)).map((text) => post(key, "/v1/mcp", [...mcpHeaders, ...named], more, text));
    });
}

function earlierMessages(key: string): fc.Arbitrary<Buffer> {
  const text = textOf(often(message({}), fc.array(message({}), { maxLength: 3 })));
  const version = fc.option(pick(corpus.protocolVersions));
  return fc.tuple(text, version, someHeaders).map(([body, spoken, more]) => {
    const named: Header[] = spoken === null ? [] : [["MCP-Protocol-Version", spoken]];
    return post(key, "/v1/mcp", [...mcpHeaders, ...named], more, body);
  });
}

/** Pipelined requests of clients that close the connection without reading the responses, some of which are large. */
function abandonedRequests(key: string): fc.Arbitrary<Buffer> {
  const headers: Header[] = [withKey(key), ["Connection", "keep-alive"]];
  return fc
    .tuple(pick(corpus.largePaths), fc.integer({ min: 1, max: 40 }))
    .map(([path, times]) => Buffer.concat(Array(times).fill(request("GET", path, headers))));
}

/** Generates requests with malformed headers. Some are incomplete, so that they never get a response. */
function headers(key: string): fc.Arbitrary<Buffer> {
  const header: fc.Arbitrary<Header> = fc.tuple(pick([...corpus.headers, ...corpus.framingHeaders]), headerValue);
  const several = often<readonly Header[]>(
    fc.array(header, { maxLength: 6 }),
    fc.tuple(header, fc.integer({ min: 90, max: 2500 })).map(([[name, value], times]) => {
      return Array(times).fill([name, value.slice(0, 20)]);
    }),
    fc.integer({ min: 15_000, max: 20_000 }).map((length) => [["X", "y".repeat(length)]]),
  );
  const credentials = often(
    fc.constant(`Bearer ${key}`),
    pick(corpus.credentials).map((text) => filled(text, { key })),
    anyText.map((text) => latin(`Bearer ${text}`)),
  );
  const body = fc.constantFrom("", '{"schema":{"a":"int"}}', "5\r\nabcde\r\n0\r\n\r\n");
  return fc.tuple(fc.boolean(), several, body, credentials).map(([isGet, more, text, authorization]) => {
    const [method, path] = isGet ? ["GET", "/v1/me"] : ["POST", "/v1/extract"];
    return request(method ?? "", path ?? "", [["Authorization", authorization], ...more], text);
  });
}

function paths(key: string): fc.Arbitrary<Buffer> {
  const step = fc.oneof(
    { arbitrary: pick(corpus.pathSteps), weight: 3 },
    fc.uuid(),
    anyText.map((text) => encodeURIComponent(text.toWellFormed())),
    anyText.map(latin),
  );
  const written = fc.tuple(fc.array(step, { maxLength: 6 }), fc.option(anyText)).map(([steps, query]) => {
    const path = `/${steps.join("/")}${query === null ? "" : `?${latin(query)}`}`;
    return path.replace(/[\r\n]/g, "");
  });
  const job = fc.uuid().map((id) => `/v1/jobs/${id}`);
  return fc
    .tuple(pick(corpus.methods), often(written, job, pick(corpus.paths)))
    .map(([method, path]) => request(method, path, [withKey(key)]));
}

function wires(key: string): fc.Arbitrary<Buffer> {
  const sound = request("GET", "/v1/me", [withKey(key), ["Connection", "keep-alive"]]).toString("latin1");
  const length = fc.integer({ min: 1000, max: 70_000 });
  const odd = fc.tuple(pick(corpus.wires), length).map(([text, long]) => filled(text, { key, long: "a".repeat(long) }));
  const pipelined = fc
    .tuple(fc.integer({ min: 1, max: 30 }), fc.oneof(fc.constantFrom("", "\r\n", "\0", " "), odd))
    .map(([times, between]) => (sound + between).repeat(times));
  return fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
    { arbitrary: odd.map((text) => Buffer.from(text, "latin1")), weight: 3 },
    fc.oneof(pipelined, fc.constant("\r\n".repeat(3000))).map((text) => Buffer.from(text, "latin1")),
  );
}
