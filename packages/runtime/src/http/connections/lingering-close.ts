import type { Request, RequestHandler, Response } from "express";

const maxLingerMs = 5000;

/**
 * Delivers a response that is complete before the request body has arrived, such as the refusal of a bad key. Closing
 * at once would reset the connection, and the client would lose the response. The rest of the body is read and
 * discarded for up to five seconds; then the connection is closed.
 *
 * @see https://nginx.org/en/docs/http/ngx_http_core_module.html#lingering_close
 */
export const lingeringClose: RequestHandler = (request, response, next) => {
  const closes = postponeClose(request, response);
  response.once("finish", () => {
    if (request.destroyed) return;
    if (request.complete) {
      if (closes) request.socket.destroySoon();
      return;
    }
    const timer = setTimeout(() => request.socket.destroy(), maxLingerMs);
    timer.unref();
    request.once("close", () => clearTimeout(timer));
    if (closes) request.once("end", () => request.socket.destroySoon());
    request.resume();
  });
  next();
};

/** Stops Node from closing the connection before the body has arrived. Returns whether the client asked to close. */
function postponeClose(request: Request, response: Response): boolean {
  // A client that waits for `100 Continue` sends nothing.
  if (response.shouldKeepAlive || request.complete || response.locals.expectsContinue) return false;
  response.shouldKeepAlive = true;
  request.once("end", () => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  });
  return true;
}
