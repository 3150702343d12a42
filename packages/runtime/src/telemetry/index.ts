export { diskDependency, storageDependency } from "./dependencies/disk-dependency.ts";
export { postgresDependency, redisDependency } from "./dependencies/server-dependencies.ts";
export {
  addressOf,
  type Dependency,
  type DependencyWatch,
  type WatchDeps,
  watchDependencies,
  watchStalls,
} from "./dependencies/watch-dependencies.ts";
export { type Logger, openLog } from "./log/log.ts";
export { metricNames } from "./metrics/metrics-document.ts";
export {
  type ApiMetrics,
  type Metrics,
  openApiMetrics,
  openProberMetrics,
  openWorkerMetrics,
  type ProberMetrics,
  type WorkerMetrics,
} from "./metrics/open-metrics.ts";
export { statusLabel } from "./metrics/worker-metrics.ts";
export { type OperatorListener, startOperatorListener } from "./operator/operator-listener.ts";
export { onShutdown } from "./shutdown.ts";
export { noTracing, openTracing, type RunningSpan, type Tracing } from "./tracing/tracing.ts";
