import { onShutdown, openLog, openMetrics, startOperatorListener } from "./index.ts";

// A process that logs 2 MB. Tests start it with an output that cannot be written. It prints its address on stderr.
const metrics = openMetrics();
const log = openLog(metrics, { level: "info", name: "test" });
const operator = await startOperatorListener({
  host: "127.0.0.1",
  port: 0,
  registry: metrics.registry,
  ready: () => Promise.resolve(),
});
onShutdown(log, [{ name: "operator", close: () => operator.close() }]);
for (let line = 0; line < 2000; line++) log.info({ text: "x".repeat(1000) }, "line");
process.on("SIGUSR2", () => {
  throw new Error("a fault of the program");
});
process.stderr.write(`${operator.url}\n`);
