import { openApiDocument } from "@video-to-json/contract";
import type { RequestHandler } from "express";

type Deps = { readonly publicUrl: string | undefined };

/**
 * The interface, described from the schemas that the endpoints validate with: at `GET /v1/openapi.json` with a key
 * (specification, "GET /v1/openapi.json"), at `/docs/openapi.json` without. Where no public address is set, its server
 * is the one that it was read from, whatever name the caller knows that by.
 */
export function openapi({ publicUrl }: Deps): RequestHandler {
  const document = JSON.stringify(openApiDocument(publicUrl ?? "/"));
  return (_request, response) => {
    response.type("application/json").send(document);
  };
}
