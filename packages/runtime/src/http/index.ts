export { enforceMinimumUploadRate, limitConcurrentBodies, type UploadRate } from "./bodies/limit-concurrent-bodies.ts";
export { readTextBody, sendContinue } from "./bodies/read-text-body.ts";
export { type HttpListener, lingeringClose, startHttpListener } from "./connections/start-http-listener.ts";
export {
  clientNetwork,
  clientNetworks,
  limitHeaders,
  requestId,
  requireHost,
  signalOnClose,
} from "./requests/request-checks.ts";
export { type EventStream, openEventStream } from "./responses/event-stream.ts";
export { createGracefulShutdown, type GracefulShutdown } from "./shutdown/graceful-shutdown.ts";
