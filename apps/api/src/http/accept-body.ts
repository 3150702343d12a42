import type { Response } from "express";

/** The caller who asked whether to go on (`Expect: 100-continue`) is told so once the body is wanted. */
export function acceptBody(response: Response): void {
  if (!response.locals.expectsContinue) return;
  response.writeContinue();
  // From here on an early answer meets a caller who sends: the connection must not be cut at once.
  response.shouldKeepAlive = true;
}
