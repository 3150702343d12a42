import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheDirectory } from "../cache/test-cache.ts";
import { freePort } from "../processes/free-port.ts";
import { compileCache, mainOf } from "../processes/run-app.ts";
import { startProcess } from "../processes/start-process.ts";
import { untilReady } from "../processes/until-ready.ts";
import { control, type Emulator, type EmulatorOptions } from "./emulator.ts";

/** Starts an emulator of the provider on 127.0.0.1 and waits until it answers. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "video-to-json-emulator-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [mainOf("emulator"), "--port", String(port), "--data-dir", join(dataDir, "data")];
  if (options.processingMs !== undefined) args.push("--processing-ms", String(options.processingMs));
  const evidence = cacheDirectory("evidence");
  if (evidence) args.push("--evidence-dir", evidence);
  if (options.faults) args.push("--faults", JSON.stringify(options.faults));
  const running = await startProcess({
    name: "emulator",
    command: process.execPath,
    args,
    env: { PATH: process.env.PATH, ...compileCache(), ...options.env },
    logFile: options.logFile ?? join(dataDir, "emulator.log"),
    detached: options.detached ?? false,
    stopSignal: "SIGTERM",
    ...(options.dataDir ? {} : { temporaryDirectory: dataDir }),
  });
  const emulator = control(url);
  async function stop(graceMs?: number): Promise<void> {
    await running.stop(graceMs);
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
  }
  try {
    await untilReady(running, emulator.state);
  } catch (error) {
    await stop(0);
    throw error;
  }
  return { url, pid: running.pid, ...emulator, stop: () => stop() };
}
