declare module "on-headers" {
  import type { ServerResponse } from "node:http";

  /** Calls `listener` right before the head of the response is sent. */
  function onHeaders(response: ServerResponse, listener: () => void): void;
  export = onHeaders;
}
