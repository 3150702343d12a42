import { InterfaceDescription } from "@video-to-json/contract/shapes/service";
import { json } from "../openapi/operation.ts";
import type { Route } from "./route.ts";

type Deps = {
  /** The interface description as JSON. */
  readonly openApiJson: Buffer;
};

/** `GET /v1/openapi.json`: the interface description (specification, "GET /v1/openapi.json"). */
export const openApiRoute: Route<Deps> = {
  method: "get",
  path: "/v1/openapi.json",
  use: { kind: "read", scope: "read" },
  operation: {
    operationId: "getInterface",
    tag: "Interface",
    summary: "Read this description",
    description: "Generated from the same schemas that the endpoints validate with.",
    responses: {
      200: {
        description: "An OpenAPI 3.1 document.",
        content: json(InterfaceDescription, {
          description: {
            summary: "The beginning of this document",
            value: { openapi: "3.1.0", info: { title: "Video-to-JSON", version: "1.0.0" }, paths: {} },
          },
        }),
      },
    },
  },
  handle:
    ({ openApiJson }) =>
    (_request, response) => {
      response.type("application/json").send(openApiJson);
    },
};
