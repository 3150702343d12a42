import type { RequestHandler } from "express";
import { description } from "../reference/description.ts";

type Deps = { readonly publicUrl: string | undefined };

/**
 * The interface, described from the schemas that the endpoints validate with: at `GET /v1/openapi.json` with a key
 * (specification, "GET /v1/openapi.json"), at `/docs/openapi.json` without.
 */
export function openapi(deps: Deps): RequestHandler {
  const document = description(deps);
  return (_request, response) => {
    response.type("application/json").send(document);
  };
}
