import type { RequestHandler } from "express";

const longestLingerMs = 5000;

/**
 * An answer that comes before the body is read (a bad key, a bad schema) must reach a caller who is still sending:
 * closing at once would reset the connection and lose it. The rest is read and thrown away for a while, then cut.
 */
export const linger: RequestHandler = (request, response, next) => {
  response.once("finish", () => {
    if (request.complete || request.destroyed) return;
    const cut = setTimeout(() => request.socket.destroy(), longestLingerMs);
    cut.unref();
    request.once("close", () => clearTimeout(cut));
    request.resume();
  });
  next();
};
