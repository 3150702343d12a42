import { Readable } from "node:stream";
import { Problem } from "@video-to-json/contract";

/**
 * Yields the chunks of a source until the signal aborts. Stops the source whenever the reading ends. `pipeline` and a
 * plain loop would not end on an abort: both wait for a generator that yields nothing more.
 *
 * @throws Problem `file_too_large` at the first byte above `maxBytes`, the signal's reason, or the error of the
 *   source.
 */
export async function* readSource(
  source: AsyncIterable<Uint8Array> | Readable,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let bytes = 0;
  // One listener serves every chunk.
  let abort = () => {};
  const onAbort = () => abort();
  signal.addEventListener("abort", onAbort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        abort = () => reject(signal.reason);
        chunks.next().then(resolve, reject);
      });
      if (next.done) return;
      bytes += next.value.byteLength;
      if (bytes > maxBytes) throw new Problem("file_too_large", { what: "upload", maxBytes });
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    if (source instanceof Readable) source.destroy();
    else void chunks.return?.().catch(() => undefined);
  }
}
