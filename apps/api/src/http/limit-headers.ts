import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

const most = 100;

/** Refuses more than a hundred headers: Node would drop what is over a limit of its own, and serve the rest. */
export const limitHeaders: RequestHandler = (request, _response, next) => {
  if (request.rawHeaders.length / 2 > most) {
    throw new Problem("invalid_request", `There are more than ${most} headers. Send fewer.`);
  }
  next();
};
