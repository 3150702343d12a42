import type { Random } from "@video-to-json/testing/running";
import wantedShapes from "./shapes.json" with { type: "json" };
import type { ChaosClip, ChaosVideo } from "./videos.ts";

/** A schema that clients send, and the JSON Schema for its answers, written independently of the service. */
export type WantedShape = {
  name: string;
  schemaText: string;
  /** The schema without white space between its tokens, if it has any. */
  compactText?: string;
  asks: Record<string, unknown>;
};

/** Sketches and JSON Schemas, small and nested. */
export const shapes: readonly WantedShape[] = wantedShapes;

export type ChaosAccount = { id: string; email: string; key: string };

/** The entry point of a call: a form with a file, JSON with a URL, or the MCP tool. */
type EntryPoint = "upload" | "url" | "mcp";

/** An option of a request, by the header that asks for it. */
export type Extra = "extract-evidence" | "second-look";

/** The values of the option headers in these tests. */
export const valueOfExtra: Readonly<Record<Extra, string>> = { "extract-evidence": "fields", "second-look": "times" };

/** One extraction that a client wants, and all requests that it sent for it. */
export type Call = {
  /** Sent as the instructions, to identify its jobs. */
  marker: string;
  account: ChaosAccount;
  entryPoint: EntryPoint;
  video: ChaosVideo;
  /** The path on the file server. Some paths fail. */
  urlPath: string;
  shape: WantedShape;
  /** The part of the video that it asks about; otherwise the whole. */
  clip?: ChaosClip | undefined;
  detail?: "low" | "high" | undefined;
  /** What it requests in addition to the answer. */
  extras?: readonly Extra[];
  /** Its Idempotency-Key, if it sends one. */
  idempotencyKey: string | undefined;
  /** The versions of the identical requests that an MCP client sends at about the same time; one by default. */
  mcpVersions?: readonly McpVersion[];
  attempts: Attempt[];
};

/** When the client closes the connection on purpose. */
export type Drop = "mid-upload" | "mid-wait" | undefined;

/** One request of a call. Times are milliseconds since 1970. */
export type Attempt = {
  apiUrl: string;
  startedAt: number;
  endedAt: number;
  outcome: Outcome;
  version?: McpVersion;
};

/** The outcome of a request for its client. */
export type Outcome =
  | Answered
  | { is: "refused" }
  | { is: "broken"; why: string }
  | { is: "dropped"; when: "mid-upload" | "mid-wait" }
  | { is: "hung" };

/** A response. For the MCP tool, the JSON in its text. */
export type Answered = {
  is: "answered";
  status: number;
  text: string;
  /** The error code; undefined for a success. */
  code: string | undefined;
  /** The job of the response, if it names one. */
  jobId: string | undefined;
  replayed: boolean;
  /** The structured content of a success of the MCP tool. */
  structured?: unknown;
};

/** Returns whether a client with an Idempotency-Key sends its request again: after no response, and a server error. */
export function mayBeRepeated({ outcome }: Attempt): boolean {
  return outcome.is !== "answered" || outcome.code === "internal_error" || outcome.code === "provider_unavailable";
}

/** Returns the response of a successful attempt, otherwise undefined. */
export function successOf({ outcome }: Attempt): Answered | undefined {
  return outcome.is === "answered" && outcome.status === 200 && outcome.code === undefined ? outcome : undefined;
}

/** The versions of MCP that the API serves. In the last one, closing the stream of a call cancels the call. */
export const mcpVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;

export type McpVersion = (typeof mcpVersions)[number];

/** Returns whether a client of this version cancels its call by closing the connection. */
export function closingCancels(version: McpVersion): boolean {
  return version === "2026-07-28";
}

/** Returns the seconds that a success of the call costs. */
export function billOf({ clip, video }: Pick<Call, "clip" | "video">): number {
  return (clip ?? video).billedSeconds;
}

/** Returns the id that a client gives all requests of a call (`X-Request-Id`). */
export function requestIdOf({ marker }: Call): string {
  return marker.replaceAll(/[^A-Za-z0-9._-]/g, "-");
}

/** Chooses what a client calls next. `marker` must be new. */
export function newCall(random: Random, account: ChaosAccount, videos: readonly ChaosVideo[], marker: string): Call {
  const entryPoint = random.one<EntryPoint>(["upload", "upload", "url", "mcp", "mcp"]);
  const video = random.one(videos);
  const manner = random.one(["", "", "", "", "", "/slow", "/slow", "/cut"]);
  const size = random.one([1, 1, 2, 3]);
  return {
    marker,
    account,
    entryPoint,
    video,
    urlPath: random.chance(0.03) ? "/missing" : `${manner}/${video.name}`,
    shape: random.one(shapes),
    clip: random.chance(0.4) ? random.one([undefined, ...video.clips]) : undefined,
    detail: random.one([undefined, undefined, undefined, undefined, "low", "high"]),
    extras: (["extract-evidence", "second-look"] as Extra[]).filter(() => random.chance(0.25)),
    idempotencyKey: entryPoint !== "mcp" && random.chance(0.6) ? `key of ${marker}` : undefined,
    ...(entryPoint === "mcp" && { mcpVersions: versions(random, size) }),
    attempts: [],
  };
}

/** Returns the version of each of a number of identical calls. Most are of one version, so that all may cancel. */
function versions(random: Random, size: number) {
  const own = random.chance(0.6) ? "2026-07-28" : random.one(mcpVersions);
  return Array.from({ length: size }, () => (random.chance(0.15) ? random.one(mcpVersions) : own));
}

/** Chooses whether and when the client of a request closes the connection. Calls that share a job often do. */
export function dropOf(random: Random, { entryPoint, mcpVersions: { length: together } = [] }: Call): Drop {
  const roll = random.whole(1, 100);
  if (roll <= (together > 1 ? 40 : 6)) return "mid-wait";
  return roll <= 10 && entryPoint === "upload" ? "mid-upload" : undefined;
}
