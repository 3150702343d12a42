import fc from "fast-check";
import { latin, writeRequest } from "./values.ts";

/** Generates bytes below HTTP: other protocols, malformed lines, chunks and lengths, and pipelined requests. */
export function wires(key: string): fc.Arbitrary<Buffer> {
  const sound = writeRequest({
    method: "GET",
    path: "/v1/me",
    headers: [
      ["Authorization", `Bearer ${key}`],
      ["Connection", "keep-alive"],
    ],
  });
  return fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 2000 }).map((bytes) => Buffer.from(bytes)),
    otherProtocols,
    lines(key),
    chunks(key),
    lengths(key),
    // Pipelined requests, some with malformed bytes between them.
    fc
      .tuple(fc.integer({ min: 1, max: 30 }), fc.oneof(fc.constantFrom("", "\r\n", "\0", " "), otherProtocols))
      .map(([times, between]) =>
        Buffer.concat(
          Array(times)
            .fill([sound, Buffer.from(between)])
            .flat(),
        ),
      ),
  );
}

const otherProtocols = fc
  .constantFrom(
    ...[
      "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
      "\x05\x01\0",
    ],
    ...[
      "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n",
      "*1\r\n$4\r\nPING\r\n",
      "EHLO a\r\n",
      "\0\0\0\x08\x04\xd2\x16\x2f",
      "SSH-2.0-a\r\n",
    ],
    ...["\r\n".repeat(3000), "GET\0/", "{}", " GET / HTTP/1.1\r\n\r\n"],
  )
  .map((text) => Buffer.from(text, "latin1"));

/** A head with malformed lines. */
function lines(key: string): fc.Arbitrary<Buffer> {
  const first = fc.oneof(
    fc.constantFrom(
      "GET /v1/me HTTP/1.1",
      "GET /v1/me",
      "GET  /v1/me  HTTP/1.1",
      "GET /v1/me HTTP/1.0",
      "get / HTTP/1.1",
    ),
    fc.constantFrom("GET /v1/me HTTP/2.0", "GET /v1/me HTTP/9.9", "GET /v1/me HTTP/1.1 x", "GET\t/v1/me\tHTTP/1.1", ""),
    fc.integer({ min: 1000, max: 70_000 }).map((length) => `GET /${"a".repeat(length)} HTTP/1.1`),
    fc.string({ maxLength: 60, unit: "binary" }).map(latin),
  );
  const line = fc.oneof(
    fc.constantFrom(
      "Host: a",
      `Authorization: Bearer ${key}`,
      " folded",
      "\tfolded",
      "Host : a",
      ": a",
      "a",
      "Host:",
      "A:\0",
    ),
    fc.constantFrom("Host: a\rX: b", "Connection: close", "Content-Length: 0", "X: \u00ff", `X: ${"y".repeat(17_000)}`),
    fc.string({ maxLength: 60, unit: "binary" }).map(latin),
  );
  const end = fc.oneof({ arbitrary: fc.constant("\r\n"), weight: 4 }, fc.constantFrom("\n", "\r", "\r\r\n", "\n\r"));
  return fc
    .tuple(first, fc.array(line, { maxLength: 8 }), end)
    .map(([start, rest, ending]) => Buffer.from([start, ...rest, "", ""].join(ending), "latin1"));
}

/** A chunked body, with some wrong chunk lengths. */
function chunks(key: string): fc.Arbitrary<Buffer> {
  const content = fc.oneof(fc.constant('{"schema":{"a":"int"}}'), fc.string({ maxLength: 200 }));
  const chunk = fc.oneof(
    { arbitrary: content.map((text) => `${text.length.toString(16)}\r\n${text}\r\n`), weight: 4 },
    fc.constantFrom(
      "ffffffffffffffff\r\n",
      "-1\r\na\r\n",
      "0x5\r\nabcde\r\n",
      "5;a=b\r\nabcde\r\n",
      "5\nabcde\n",
      "g\r\n",
    ),
    fc.integer({ min: 1, max: 20_000 }).map((length) => `5;${"a".repeat(length)}\r\nabcde\r\n`),
  );
  const last = fc.constantFrom(
    "0\r\n\r\n",
    "0\r\n\r\n",
    "0\r\nX: y\r\n\r\n",
    "0\r\nContent-Length: 5\r\n\r\n",
    "0\r\n",
    "",
  );
  const type = fc.constantFrom("application/json", "multipart/form-data; boundary=b");
  const path = fc.constantFrom("/v1/extract", "/v1/mcp");
  return fc.tuple(fc.array(chunk, { maxLength: 5 }), last, type, path).map(([all, end, contentType, to]) => {
    const headers = [
      ["Authorization", `Bearer ${key}`],
      ["Content-Type", contentType],
      ["Transfer-Encoding", "chunked"],
    ] as const;
    return writeRequest({ method: "POST", path: to, headers }, Buffer.from(all.join("") + end));
  });
}

/** A body with a wrong length, two lengths, or two kinds of length. */
function lengths(key: string): fc.Arbitrary<Buffer> {
  const length = fc.constantFrom(
    "0",
    "5",
    "22",
    "23",
    "+22",
    "22, 22",
    "22,23",
    "0x16",
    "1e1",
    "-1",
    " 22",
    "99999999999999999999",
  );
  const framing = fc.oneof(
    fc.array(length, { minLength: 1, maxLength: 2 }).map((all) => all.map((one) => ["Content-Length", one] as const)),
    fc
      .tuple(length, fc.constantFrom("chunked", "Chunked", "identity", "chunked, identity", "\tchunked", "gzip"))
      .map(([one, coding]) => [["Content-Length", one] as const, ["Transfer-Encoding", coding] as const]),
  );
  return framing.map((framed) => {
    const head = writeRequest({
      method: "POST",
      path: "/v1/extract",
      headers: [["Authorization", `Bearer ${key}`], ["Content-Type", "application/json"], ...framed],
    });
    return Buffer.concat([head, Buffer.from('{"schema":{"a":"int"}}')]);
  });
}
