import type { Random } from "../random.ts";
import type { Call, ChaosAccount, Drop, EntryPoint, Extra } from "./call.ts";
import { mcpVersions } from "./mcp-message.ts";
import { shapes } from "./shapes.ts";
import type { ChaosVideo } from "./videos.ts";

/** Chooses what a client calls next. `marker` must be new. */
export function newCall(random: Random, account: ChaosAccount, videos: readonly ChaosVideo[], marker: string): Call {
  const entryPoint = random.pick<EntryPoint>(["upload", "upload", "url", "mcp", "mcp"]);
  const video = random.pick(videos);
  const manner = random.pick(["", "", "", "", "", "/slow", "/slow", "/cut"]);
  const size = random.pick([1, 1, 2, 3]);
  return {
    marker,
    account,
    entryPoint,
    video,
    urlPath: random.next() < 0.03 ? "/missing" : `${manner}/${video.name}`,
    shape: random.pick(shapes),
    extras: (["extract-evidence", "second-look"] as Extra[]).filter(() => random.next() < 0.25),
    idempotencyKey: entryPoint !== "mcp" && random.next() < 0.6 ? `key of ${marker}` : undefined,
    ...(entryPoint === "mcp" && { mcpVersions: versions(random, size) }),
    attempts: [],
  };
}

/** Returns the version of each of a number of identical calls. Most are of one version, so that all may cancel. */
function versions(random: Random, size: number) {
  const own = random.next() < 0.6 ? "2026-07-28" : random.pick(mcpVersions);
  return Array.from({ length: size }, () => (random.next() < 0.15 ? random.pick(mcpVersions) : own));
}

/** Chooses whether and when the client of a request closes the connection. Calls that share a job often do. */
export function dropOf(random: Random, { entryPoint, mcpVersions: { length: together } = [] }: Call): Drop {
  const roll = random.next();
  if (roll < (together > 1 ? 0.4 : 0.06)) return "mid-wait";
  return roll < 0.1 && entryPoint === "upload" ? "mid-upload" : undefined;
}
