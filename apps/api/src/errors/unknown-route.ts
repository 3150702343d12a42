import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

/** Answers an unknown route exactly like an unknown job and like a job of another account. */
export const unknownRoute: RequestHandler = () => {
  throw new Problem("not_found", {});
};
