/** The request line and the headers of a request. */
export type Head = { method: string; path: string; headers: readonly (readonly [string, string])[] };

/** Returns the bytes of a request. It closes its connection unless its headers say otherwise. */
export function writeRequest({ method, path, headers: given }: Head, body: Buffer = Buffer.alloc(0)): Buffer {
  const named = (wanted: string) => given.some(([name]) => name.toLowerCase() === wanted);
  const all = [["Host", "127.0.0.1"], ...(named("connection") ? [] : [["Connection", "close"]]), ...given];
  if (body.length > 0 && !named("transfer-encoding")) all.push(["Content-Length", String(body.length)]);
  const head = all.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${head}\r\n`, "latin1"), body]);
}

/** Returns the UTF-8 bytes of a text as one character each, the form that a header needs. */
export function latin(text: string | Uint8Array): string {
  return Buffer.from(text as string).toString("latin1");
}
