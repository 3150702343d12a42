export { limitConcurrentBodies } from "./bodies/limit-concurrent-bodies.ts";
export { enforceMinimumUploadRate, type UploadRate } from "./bodies/minimum-upload-rate.ts";
export { readTextBody, sendContinue } from "./bodies/read-text-body.ts";
export { lingeringClose } from "./connections/lingering-close.ts";
export { type HttpListener, startHttpListener } from "./connections/start-http-listener.ts";
export { clientNetwork, clientNetworks } from "./requests/client-network.ts";
export { limitHeaders, requestId, requireHost, signalOnClose } from "./requests/request-checks.ts";
export { type EventStream, openEventStream } from "./responses/event-stream.ts";
export { createGracefulShutdown, type GracefulShutdown } from "./shutdown/graceful-shutdown.ts";
