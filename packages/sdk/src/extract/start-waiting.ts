const everyMs = 1000;

/** Says at once, and every second from then on, how long it has been. Gives the function that ends it. */
export function startWaiting(tell: (elapsedMs: number) => void): () => void {
  const start = Date.now();
  tell(0);
  const timer = setInterval(() => tell(Date.now() - start), everyMs);
  return () => clearInterval(timer);
}
