import Type from "typebox";

/** Body of `GET /v1/openapi.json` (specification, "GET /v1/openapi.json"), as far as its readers may rely on it. */
export const InterfaceDescription = Type.Object(
  {
    openapi: Type.String({ pattern: "^3\\.1\\.\\d+$", description: "Version of the OpenAPI Specification." }),
    info: Type.Object(
      { title: Type.String(), version: Type.String({ description: "Version of the interface." }) },
      { additionalProperties: true },
    ),
    paths: Type.Object({}, { additionalProperties: true }),
  },
  { additionalProperties: true, description: "An OpenAPI 3.1 document." },
);
