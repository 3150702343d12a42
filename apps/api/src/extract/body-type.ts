import { Problem } from "@video-to-json/contract";
import type { Request } from "express";

/** Returns the media type of a request's body. Throws invalid_request for a type that extractions do not take. */
export function bodyTypeOf(request: Request): "multipart/form-data" | "application/json" {
  const type = request.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "multipart/form-data" || type === "application/json") return type;
  throw new Problem("invalid_request", {
    reason: "The content type is neither multipart/form-data nor application/json. Send one of the two.",
  });
}
