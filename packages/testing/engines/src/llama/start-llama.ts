import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startProcess } from "@video-to-json/testing";
import type { Asked } from "./main.ts";

/**
 * Starts a server in whose process llama.cpp answers with random weights, and waits until it answers. Throws with the
 * path of its log when the native module does not load.
 */
export async function startLlama(contextTokens: number) {
  const directory = await mkdtemp(join(tmpdir(), "llama-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const read = async (path: string) => (await fetch(url + path, { signal: AbortSignal.timeout(10_000) })).json();
  const running = await startProcess({
    name: "llama",
    command: process.execPath,
    args: [join(import.meta.dirname, "main.ts"), String(port), String(contextTokens), directory],
    logFile: join(directory, "llama.log"),
    temporaryDirectory: directory,
    probe: () => read("/v1/models"),
  });
  return {
    url,
    /** What a model that would write this text writes under the schema. Rejects when llama.cpp refuses the schema. */
    async write(schema: object, text: string) {
      const body = JSON.stringify({ schema, text });
      const reply = await fetch(`${url}/control/write`, { method: "POST", body });
      if (!reply.ok) throw new Error(await reply.text());
      return reply.text();
    },
    asked: () => read("/control/asked") as Promise<Asked[]>,
    async [Symbol.asyncDispose]() {
      await running.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
