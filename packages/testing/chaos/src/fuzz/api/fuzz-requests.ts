import fc from "fast-check";
import { abandonedRequests } from "./abandoned-requests.ts";
import { forms, jsonBodies } from "./malformed-bodies.ts";
import { headers, paths } from "./malformed-heads.ts";
import { earlierMessages, modernMessages } from "./malformed-messages.ts";
import { wires } from "./malformed-wires.ts";
import { mangle } from "./mangle.ts";

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

/** The kinds of requests. Each kind but `wires` also has a mutated form. */
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
    const complete = make(key).map((bytes) => ({
      kind,
      bytes,
      unread,
      whole: !perhapsPartial.has(kind) && !isStream(bytes),
    }));
    if (kind === "wires") return [{ arbitrary: complete, weight: 2 }];
    const mangled = mangle(make(key)).map((bytes) => ({ kind: `${kind}, mangled`, bytes, unread, whole: false }));
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

/** Returns whether the response is an endless stream, which only one method has. */
function isStream(bytes: Buffer): boolean {
  return bytes.includes("subscriptions/listen");
}
