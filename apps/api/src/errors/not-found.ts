import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

/** The one answer to an unknown route, an unknown job and another account's job: they cannot be told apart. */
export function notFound(): Problem {
  return new Problem("not_found", {});
}

/** Answers every route that is none. */
export const unknownRoute: RequestHandler = () => {
  throw notFound();
};
