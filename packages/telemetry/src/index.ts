export { type Logger, openLog } from "./log.ts";
export { type Metrics, openMetrics } from "./metrics.ts";
export { type OperatorListener, startOperatorListener } from "./operator-listener.ts";
export { onShutdown } from "./shutdown.ts";
