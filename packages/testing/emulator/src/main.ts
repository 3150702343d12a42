import { startEmulator } from "./emulator.ts";
import { readOptions } from "./options.ts";

const log = (line: string) => void process.stderr.write(`${line}\n`);

// tesseract does not read a small picture faster with several threads.
process.env.OMP_THREAD_LIMIT ??= "1";

try {
  const emulator = await startEmulator(readOptions(process.argv.slice(2), process.env), log);
  process.stdout.write(`${JSON.stringify({ url: emulator.url, pid: process.pid })}\n`);
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.once(signal, () => {
      void emulator.close().finally(() => process.exit(0));
    });
  }
} catch (error) {
  log(`emulator: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
