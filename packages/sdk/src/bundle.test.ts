import { basename } from "node:path";
import { runInNewContext } from "node:vm";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";
import { answerText } from "./testing/start-fault-server.ts";
import { temporaryFile } from "./testing/temporary-file.ts";

const entry = new URL("./index.ts", import.meta.url).pathname;

const web = { AbortController, Blob, Headers, ReadableStream, Response, TextDecoder, TextEncoder, URL, crypto };
const timers = { clearInterval, clearTimeout, setInterval, setTimeout };
/** A runtime with web standards and without any part of Node. */
const globals = { ...web, ...timers, Uint8Array, ArrayBuffer };

test.each(["browser", "neutral"] as const)(
  "a bundle for the platform %s needs no module of Node, and extracts from a URL and from bytes",
  async (platform) => {
    const warnings: string[] = [];
    const build = await rolldown({
      input: entry,
      platform,
      onLog: (_level, log) => void warnings.push(log.message),
    });
    const { output } = await build.generate({ format: "iife", name: "sdk" });
    const [{ code, imports, dynamicImports }] = output;
    expect([output.length, imports, dynamicImports, warnings]).toEqual([1, [], [], []]);
    expect(code).not.toMatch(/(from|import|require)\s*\(?\s*["']node:/);
    const received: string[] = [];
    const fetch = async (_url: string, init: RequestInit) => {
      received.push(await new Response(init.body).text());
      return new Response(answerText);
    };
    const sdk = runInNewContext(`${code};sdk`, { ...globals, fetch }) as typeof import("./index.ts");
    const client = sdk.createClient({ apiKey: "v2j_live_x", baseUrl: "https://api.example.com" });
    await client.extract({ videoUrl: "https://example.com/v.mp4", schema: { a: "int" } });
    const { id } = await client.extract({ video: new TextEncoder().encode("bytes"), schema: { a: "int" } });
    expect(id).toBe(JSON.parse(answerText).id);
    expect(received.map((body) => /video_url|bytes/.exec(body)?.[0])).toEqual(["video_url", "bytes"]);
    expect(() => sdk.createClient()).toThrow("apiKey is missing");
    const ofPath = client.extract({ video: "clip.mp4", schema: { a: "int" } });
    await expect(ofPath).rejects.toThrow(/^video is a path, and this runtime opens no files\. Pass its bytes/);
  },
);

test("a bundle that cannot import a computed name, such as webpack's, opens a file with Node's own modules", async () => {
  await using file = await temporaryFile(5);
  const build = await rolldown({ input: entry, platform: "node" });
  const { output } = await build.generate({ format: "iife", name: "sdk" });
  const received: string[] = [];
  const fetch = async (_url: string, init: RequestInit) => {
    received.push(await new Response(init.body).text());
    return new Response(answerText);
  };
  // Without an importer, this context refuses every `import()`.
  const sdk = runInNewContext(`${output[0].code};sdk`, { ...globals, fetch, process }) as typeof import("./index.ts");
  const client = sdk.createClient({ apiKey: "v2j_live_x", baseUrl: "https://api.example.com" });
  await client.extract({ video: file.path, schema: { a: "int" } });
  expect(received[0]).toContain(`filename="${basename(file.path)}"`);
});
