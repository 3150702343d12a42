import type { Hasher, SlotSizes } from "./running-hash.ts";
import { startHashThread } from "./start-hash-thread.ts";

/**
 * Creates a hasher with one thread for all hashes, which starts with the first one and does not keep the process alive
 * without one. A thread that dies fails its hashes, and the next hash starts another.
 */
export function createHasher(sizes: SlotSizes): Hasher {
  let thread: Hasher | undefined;
  const forget = () => {
    thread = undefined;
  };
  return {
    begin() {
      thread ??= startHashThread(sizes, forget);
      return thread.begin();
    },
  };
}
