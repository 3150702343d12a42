import type { Response } from "express";

/**
 * Sends `100 Continue` if the client waits for it (`Expect: 100-continue`). Call it right before the body is read.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 */
export function sendContinue(response: Response): void {
  if (!response.locals.expectsContinue) return;
  response.writeContinue();
  // The client sends from now on. If the response comes early, closing at once would reset the connection.
  response.shouldKeepAlive = true;
}
