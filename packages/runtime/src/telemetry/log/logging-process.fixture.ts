import { onShutdown, openApiMetrics, openLog, startOperatorListener, watchDependencies } from "../index.ts";

// A process that logs 2 MB. Tests start it with an output that cannot be written. It prints its address on stderr.
const metrics = openApiMetrics();
const log = openLog(metrics, { level: "info", name: "test" });
const dependencies = watchDependencies({ metrics, log }, []);
const operator = await startOperatorListener({ metrics, dependencies }, { host: "127.0.0.1", port: 0 });
onShutdown(log, [{ name: "operator", close: () => operator.close() }]);
for (let line = 0; line < 2000; line++) log.info({ text: "x".repeat(1000) }, "line");
process.on("SIGUSR2", () => {
  throw new Error("a fault of the program");
});
process.stderr.write(`${operator.url}\n`);
