import type { Confinement } from "@video-to-json/media";
import type { Evidence } from "./evidence.ts";
import { createEvidenceStore, type Seen } from "./evidence-store.ts";
import { type FirstLook, takeFirstLook } from "./first-look.ts";
import { gatherEvidence } from "./gather-evidence.ts";

/** One file being looked at: first briefly, then from start to end. */
type Watch = { firstLook: Promise<FirstLook>; evidence: Promise<Evidence> };

/** Looks at files. */
export type Watcher = { watch(path: string, sha256: string, signal: AbortSignal): Watch };

const mostRemembered = 64;
const mostAtOnce = 2;

/**
 * Creates a watcher that looks at two files at a time and remembers the last ones, so that the same bytes are seen once.
 * With a directory it also remembers them there.
 */
export function createWatcher(confinement: Confinement, evidenceDir?: string): Watcher {
  const remembered = new Map<string, Seen>();
  const store = evidenceDir === undefined ? undefined : createEvidenceStore(evidenceDir);
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    watch(path, sha256, signal) {
      const known = remembered.get(sha256) ?? store?.read(sha256);
      if (known) return { firstLook: Promise.resolve(known.first), evidence: Promise.resolve(known.evidence) };
      const firstLook = takeFirstLook(path, { confinement, signal });
      const evidence = firstLook.then((first) =>
        inTurn(async () => {
          const gathered = await gatherEvidence(path, first, { confinement, signal });
          const seen = { first: { ...first, durationMs: gathered.durationMs }, evidence: gathered };
          remembered.set(sha256, seen);
          store?.write(sha256, seen);
          const [oldest] = remembered.keys();
          if (oldest !== undefined && remembered.size > mostRemembered) remembered.delete(oldest);
          return gathered;
        }),
      );
      // Nobody may ever ask; a failure is told to those who do.
      evidence.catch(() => {});
      return { firstLook, evidence };
    },
  };
}
