/**
 * Waits for `work`, but no longer than `ms` milliseconds; then it rejects, naming `what` was waited for.
 * The work itself goes on unwatched.
 */
export async function within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error(`${what} took longer than ${ms} ms.`));
    // After a standstill of this process the timer is late, and what it waited for may lie there unread.
    timer = setTimeout(() => setImmediate(expire), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after `ms` milliseconds. Keeps no process alive. */
export function timePasses(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
