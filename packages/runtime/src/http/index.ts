export { readTextBody, sendContinue } from "./bodies/read-text-body.ts";
export { enforceMinimumUploadRate, limitConcurrentBodies, type UploadRate } from "./bodies/upload-limits.ts";
export { type HttpListener, lingeringClose, startHttpListener } from "./connections/start-http-listener.ts";
export {
  clientNetwork,
  clientNetworks,
  limitHeaders,
  requestId,
  requireHost,
  signalOnClose,
} from "./requests/requests.ts";
export { type EventStream, openEventStream } from "./responses/event-stream.ts";
export { createGracefulShutdown, type GracefulShutdown } from "./shutdown/graceful-shutdown.ts";
