import fc from "fast-check";
import { hangUps } from "./hang-ups.ts";
import { mangle } from "./mangle.ts";
import { forms, jsonBodies } from "./odd-bodies.ts";
import { headers, paths } from "./odd-heads.ts";
import { earlierMessages, modernMessages } from "./odd-messages.ts";
import { wires } from "./odd-wires.ts";

/** What a request was made to try, and how it is sent. */
export type OddRequest = {
  kind: string;
  bytes: Buffer;
  /** All is there: an answer is due. */
  whole: boolean;
  /** Whoever sends it takes nothing of the answer, and hangs up. */
  unread: boolean;
  /** After so many bytes the sender pauses, so that they arrive apart from the others. */
  pauseAfter: number;
};

/** So many requests out of a seed, the same each time; `key` is a live one, which most of them carry. */
export function oddRequests(key: string, seed: number, count: number): OddRequest[] {
  return fc.sample(oddRequest(key), { seed, numRuns: count });
}

/** The kinds there are; each also comes mangled, but for `wires`. */
export const kinds = {
  forms,
  "JSON bodies": jsonBodies,
  headers,
  paths,
  "MCP, 2026": modernMessages,
  "MCP, earlier": earlierMessages,
  wires,
  "hang-ups": hangUps,
} satisfies { [kind: string]: (key: string) => fc.Arbitrary<Buffer> };

const perhapsPartial: ReadonlySet<string> = new Set(["headers", "wires", "hang-ups"]);

function oddRequest(key: string): fc.Arbitrary<OddRequest> {
  const all = Object.entries(kinds).flatMap(([kind, make]) => {
    const unread = kind === "hang-ups";
    const sound = make(key).map((bytes) => ({
      kind,
      bytes,
      unread,
      whole: !perhapsPartial.has(kind) && !isStream(bytes),
    }));
    if (kind === "wires") return [{ arbitrary: sound, weight: 2 }];
    const mangled = mangle(make(key)).map((bytes) => ({ kind: `${kind}, mangled`, bytes, unread, whole: false }));
    return [
      { arbitrary: sound, weight: 2 },
      { arbitrary: mangled, weight: 1 },
    ];
  });
  const pause = fc.oneof({ arbitrary: fc.constant(1), weight: 3 }, fc.double({ min: 0, max: 1, noNaN: true }));
  return fc
    .tuple(fc.oneof(...all), pause)
    .map(([made, at]) => ({ ...made, pauseAfter: Math.floor(at * made.bytes.length) }));
}

/** The one method that is answered by a stream without an end. */
function isStream(bytes: Buffer): boolean {
  return bytes.includes("subscriptions/listen");
}
