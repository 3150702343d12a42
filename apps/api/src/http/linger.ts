import type { Request, RequestHandler, Response } from "express";

const longestLingerMs = 5000;

/**
 * An answer that comes before the body is read (a bad key, a bad schema) must reach a caller who is still sending:
 * closing at once would reset the connection and lose it, also where the caller asked to close. The rest is read and
 * thrown away for a while, then cut.
 */
export const linger: RequestHandler = (request, response, next) => {
  const closes = postponeClosing(request, response);
  response.once("finish", () => {
    if (request.destroyed) return;
    if (request.complete) {
      if (closes) request.socket.destroySoon();
      return;
    }
    const cut = setTimeout(() => request.socket.destroy(), longestLingerMs);
    cut.unref();
    request.once("close", () => clearTimeout(cut));
    if (closes) request.once("end", () => request.socket.destroySoon());
    request.resume();
  });
  next();
};

/** Keeps Node from closing after an answer that comes before the body has; true where the caller asked to close. */
function postponeClosing(request: Request, response: Response): boolean {
  // Who waits for `100 Continue` sends nothing.
  if (response.shouldKeepAlive || request.complete || response.locals.expectsContinue) return false;
  response.shouldKeepAlive = true;
  request.once("end", () => {
    if (!response.headersSent) response.shouldKeepAlive = false;
  });
  return true;
}
