import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGeminiProvider } from "@video-to-json/analysis";
import { startEmulator } from "@video-to-json/testing";
import { sharedSandbox } from "./shared-sandbox.harness.ts";

/** Opens the provider on an emulator, and a sandbox: all that an analysis needs without a queue and a database. */
export async function openEmulatedProvider() {
  const directory = await mkdtemp(join(tmpdir(), "emulated-provider-"));
  const emulator = await startEmulator({ processingMs: 0, strict: true });
  const models = { small: ["gemini-3.5-flash-lite"], large: ["gemini-3.8-flash"] };
  const log = { info() {}, warn() {}, error() {} };
  const gemini = createGeminiProvider({ apiKey: "key", baseUrl: emulator.url, models, log });
  const sandbox = sharedSandbox(gemini.capabilities.schemaDialect);
  return {
    ...{ directory, emulator, gemini, sandbox },
    async [Symbol.asyncDispose]() {
      await gemini.close();
      await emulator.stop();
      await rm(directory, { recursive: true });
    },
  };
}
