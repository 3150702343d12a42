import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { sendVideo } from "./send-video.ts";

test("schema and video arrive completely, schema first, and progress ends at 100 %", async () => {
  const bytes = Buffer.alloc(300_000, 7);
  let received: [string, string][] = [];
  let video = Buffer.alloc(0);
  await using served = await serve(async (request, response) => {
    const body = new Uint8Array(await buffer(request));
    const form = await new Response(body, {
      headers: { "content-type": String(request.headers["content-type"]) },
    }).formData();
    received = [...form.entries()].map(([name, value]) => [name, typeof value === "string" ? value : value.name]);
    video = Buffer.from(await (form.get("video") as File).arrayBuffer());
    response.end('{"id":1}');
  });
  const progress: [number, number][] = [];
  const answer = await send(served, bytes, (...seen) => progress.push(seen));
  expect(answer).toEqual({ status: 200, body: '{"id":1}' });
  expect(received).toEqual([
    ["schema", '{"a":"string"}'],
    ["video", "sample.mp4"],
  ]);
  expect(video.equals(bytes)).toBe(true);
  const [sent, total] = progress.at(-1) ?? [];
  expect(sent).toBe(total);
});

test("the response of a service that rejects the request before it has read the video is returned", async () => {
  await using served = await serve((_, response) => {
    response.writeHead(402, { connection: "close" }).end("no");
  });
  expect(await send(served, Buffer.alloc(100_000), () => {})).toEqual({ status: 402, body: "no" });
});

async function send(
  { baseUrl, directory }: { baseUrl: string; directory: string },
  bytes: Uint8Array,
  onProgress: (sent: number, total: number) => void,
) {
  const file = join(directory, "sample.mp4");
  writeFileSync(file, bytes);
  const signal = new AbortController().signal;
  return sendVideo({ baseUrl, apiKey: "key", schema: '{"a":"string"}', file }, { signal, onProgress });
}

async function serve(listener: RequestListener) {
  const directory = mkdtempSync(join(tmpdir(), "video-to-json-send-"));
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    directory,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
