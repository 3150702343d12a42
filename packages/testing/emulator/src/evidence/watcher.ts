import { createHash, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Confinement } from "@video-to-json/media";
import { type Evidence, look } from "./look.ts";
import { readClock } from "./read-text.ts";
import { type FirstFrame, readFirstFrame } from "./tracks.ts";

type Watch = { firstFrame: Promise<FirstFrame>; evidence: Promise<Evidence> };

/** The stored evidence of one video. `clockMs`: of a clip, what its clock shows first, or null. */
type Stored = { firstFrame: FirstFrame; evidence: Evidence; clockMs: number | null };

const maxRemembered = 64;
const maxConcurrent = 2;

/**
 * Creates a watcher that examines two videos at a time and remembers the last 64, so that the same bytes are examined
 * once. With `evidenceDir` it also stores the evidence in that directory. `confine` is called for the first video that it
 * examines: it starts programs, and many emulators of tests examine none.
 */
export function createWatcher(confine: () => Promise<Confinement>, evidenceDir: string | undefined) {
  let confinement: Promise<Confinement> | undefined;
  const memory = createMemory(evidenceDir);
  const inTurn = createTurns();
  const contextFor = async (signal: AbortSignal) => {
    confinement ??= confine();
    return { confinement: await confinement, signal };
  };
  return {
    /** Examines a clip with a clock below its picture. The texts may be left out, because reading them takes long. */
    async watchClip(path: string, sha256: string, signal: AbortSignal, withoutText: boolean): Promise<Stored> {
      const key = `${sha256}-clip${withoutText ? "-without-text" : ""}`;
      const known = memory.read(key);
      if (known) return known;
      return inTurn(async () => {
        const context = await contextFor(signal);
        const firstFrame = await readFirstFrame(path, context);
        const clock = await readClock(path, firstFrame, context);
        const cropBottom = clock?.stripHeight ?? 0;
        const evidence = await look(path, firstFrame, context, { cropBottom, withoutText });
        return memory.write(key, { firstFrame, evidence, clockMs: clock?.startMs ?? null });
      });
    },
    watch(path: string, sha256: string, signal: AbortSignal): Watch {
      const known = memory.read(sha256);
      if (known) return { firstFrame: Promise.resolve(known.firstFrame), evidence: Promise.resolve(known.evidence) };
      const context = contextFor(signal);
      const firstFrame = context.then((context) => readFirstFrame(path, context));
      const evidence = firstFrame.then((first) =>
        inTurn(async () => {
          const evidence = await look(path, first, await context);
          const { durationMs } = evidence;
          return memory.write(sha256, { firstFrame: { ...first, durationMs }, evidence, clockMs: null }).evidence;
        }),
      );
      // Callers that await the evidence get the failure. Without them, it must not end the process.
      evidence.catch(() => {});
      return { firstFrame, evidence };
    },
  };
}

export type Watcher = ReturnType<typeof createWatcher>;

function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** Keeps evidence in memory, and in a directory that several emulators may share, one JSON file for each video. */
function createMemory(directory: string | undefined) {
  const remembered = new Map<string, Stored>();
  const fileOf = (key: string) => join(directory ?? "", `${createHash("sha256").update(key).digest("hex")}.json`);
  return {
    read(key: string): Stored | undefined {
      const known = remembered.get(key);
      if (known || directory === undefined) return known;
      try {
        return JSON.parse(readFileSync(fileOf(key), "utf8")) as Stored;
      } catch {
        return undefined;
      }
    },
    write(key: string, stored: Stored): Stored {
      remembered.set(key, stored);
      const [oldest] = remembered.keys();
      if (oldest !== undefined && remembered.size > maxRemembered) remembered.delete(oldest);
      if (directory !== undefined) {
        // A reader sees a complete file or no file.
        const temporary = join(directory, `${randomUUID()}.new`);
        writeFileSync(temporary, JSON.stringify(stored));
        renameSync(temporary, fileOf(key));
      }
      return stored;
    },
  };
}
