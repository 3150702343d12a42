/** A server-sent event. `retryMs` is when the client may reconnect, in milliseconds. */
export type ServerEvent = { name: string; data: string; retryMs: number | undefined };

const finishMs = 1000;

/** Returns whether a response is a stream of server-sent events. */
export function isEventStream(headers: Headers): boolean {
  return /^\s*text\/event-stream\s*(;|$)/i.test(headers.get("content-type") ?? "");
}

/**
 * Reads the events of a stream as they arrive. Cancels the stream when the reader stops. Throws when no byte arrives
 * for `silenceMs` milliseconds: the connection is dead then, although nothing has closed it.
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { silenceMs }: { silenceMs: number },
): AsyncGenerator<ServerEvent, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parse = createEventParser();
  try {
    for (;;) {
      const { done, value } = await within(silenceMs, reader.read());
      yield* parse(done ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true }));
      if (done) return;
    }
  } finally {
    void finish(reader, Math.min(silenceMs, finishMs));
  }
}

/** Reads the end of the stream, so that its connection can be reused. Cancels a stream that continues. */
async function finish(reader: ReadableStreamDefaultReader<Uint8Array>, ms: number): Promise<void> {
  try {
    if ((await within(ms, reader.read())).done) return;
  } catch {
    // The stream is silent or broken.
  }
  await reader.cancel().catch(() => {});
}

/**
 * Returns a function that takes the next piece of a stream's text and returns the events that end in it.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function createEventParser(): (text: string) => ServerEvent[] {
  let rest = "";
  let searched = 0;
  let name = "";
  let data: string[] = [];
  let retryMs: number | undefined;
  const readLine = (line: string): ServerEvent[] => {
    if (line === "") {
      const event = { name: name || "message", data: data.join("\n"), retryMs };
      const isEvent = data.length > 0;
      [name, data, retryMs] = ["", [], undefined];
      return isEvent ? [event] : [];
    }
    const [, field = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") name = value;
    if (field === "data") data.push(value);
    if (field === "retry" && /^\d+$/.test(value)) retryMs = Number(value);
    return [];
  };
  return (text) => {
    rest += text;
    const events: ServerEvent[] = [];
    // A carriage return at the end may be half of a line end.
    const lineEnd = /\r\n|\n|\r(?!$)/g;
    lineEnd.lastIndex = searched;
    let start = 0;
    for (let end = lineEnd.exec(rest); end; end = lineEnd.exec(rest)) {
      events.push(...readLine(rest.slice(start, end.index)));
      start = lineEnd.lastIndex;
    }
    rest = rest.slice(start);
    searched = Math.max(0, rest.length - 1);
    return events;
  };
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the connection was silent for ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}
