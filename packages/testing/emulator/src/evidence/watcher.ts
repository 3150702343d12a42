import type { Confinement } from "@video-to-json/media";
import type { ClipEvidence } from "../clips/answer-clip.ts";
import { readClock } from "../clips/clock.ts";
import type { Evidence } from "./evidence.ts";
import { createEvidenceStore, type StoredEvidence } from "./evidence-store.ts";
import { type FirstFrame, readFirstFrame } from "./first-frame.ts";
import { gatherEvidence } from "./gather-evidence.ts";

/** The examination of one file: its first frame, then the whole video. */
type Watch = { firstFrame: Promise<FirstFrame>; evidence: Promise<Evidence> };

/** Examines videos. */
export type Watcher = {
  watch(path: string, sha256: string, signal: AbortSignal): Watch;
  /**
   * Examines a clip with a clock in a strip below its picture. The strip does not belong to the evidence. The texts may
   * be left out, because reading them takes long.
   */
  watchClip(path: string, sha256: string, signal: AbortSignal, withoutText: boolean): Promise<ClipEvidence>;
};

const maxRemembered = 64;
const maxConcurrent = 2;

/**
 * Creates a watcher that examines two videos at a time and remembers the last 64, so that the same bytes are examined
 * once. With `evidenceDir` it also stores the evidence in that directory. `confine` is called for the first video that it
 * examines: it starts programs, and many emulators of tests examine none.
 */
export function createWatcher(confine: () => Promise<Confinement>, evidenceDir: string | undefined): Watcher {
  let confinement: Promise<Confinement> | undefined;
  const remembered = new Map<string, StoredEvidence>();
  const store = evidenceDir === undefined ? undefined : createEvidenceStore(evidenceDir);
  const waiting: (() => void)[] = [];
  let running = 0;

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  }

  function remember(sha256: string, stored: StoredEvidence): void {
    remembered.set(sha256, stored);
    store?.write(sha256, stored);
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size > maxRemembered) remembered.delete(oldest);
  }

  return {
    async watchClip(path, sha256, signal, withoutText) {
      const key = `${sha256}-clip${withoutText ? "-without-text" : ""}`;
      const known = remembered.get(key) ?? store?.read(key);
      if (known) return { evidence: known.evidence, clockMs: known.clockMs ?? null };
      return inTurn(async () => {
        confinement ??= confine();
        const context = { confinement: await confinement, signal };
        const firstFrame = await readFirstFrame(path, context);
        const clock = await readClock(path, firstFrame, context);
        const evidence = await gatherEvidence(path, firstFrame, context, {
          cropBottom: clock?.stripHeight ?? 0,
          withoutText,
        });
        const clockMs = clock?.startMs ?? null;
        remember(key, { firstFrame, evidence, clockMs });
        return { evidence, clockMs };
      });
    },
    watch(path, sha256, signal) {
      const known = remembered.get(sha256) ?? store?.read(sha256);
      if (known) return { firstFrame: Promise.resolve(known.firstFrame), evidence: Promise.resolve(known.evidence) };
      confinement ??= confine();
      const context = confinement.then((confinement) => ({ confinement, signal }));
      const firstFrame = context.then((context) => readFirstFrame(path, context));
      const evidence = firstFrame.then((first) =>
        inTurn(async () => {
          const gathered = await gatherEvidence(path, first, await context);
          remember(sha256, { firstFrame: { ...first, durationMs: gathered.durationMs }, evidence: gathered });
          return gathered;
        }),
      );
      // Callers that await the evidence get the failure. Without them, it must not end the process.
      evidence.catch(() => {});
      return { firstFrame, evidence };
    },
  };
}
