import { openApiDocument } from "@video-to-json/contract";
import type { RequestHandler } from "express";

type Deps = { readonly publicUrl: string | undefined };

/** `GET /v1/openapi.json`: the interface, described from the schemas that the endpoints validate with. */
export function openapi({ publicUrl }: Deps): RequestHandler {
  return (request, response) => {
    response.json(openApiDocument(publicUrl ?? `${request.protocol}://${request.get("host") ?? "localhost"}`));
  };
}
