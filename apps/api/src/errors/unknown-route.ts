import { Problem } from "@video-to-json/contract";
import type { RequestHandler } from "express";

/** Answers an unknown route exactly as an unknown job and a job of another account are answered. */
export const unknownRoute: RequestHandler = () => {
  throw new Problem("not_found", {});
};
