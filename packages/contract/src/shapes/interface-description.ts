import Type from "typebox";
import { named } from "./named.ts";

/** The parts of the body of `GET /v1/openapi.json` on which its readers may rely (specification, same section). */
export const InterfaceDescription = named(
  "InterfaceDescription",
  Type.Object(
    {
      openapi: Type.String({ pattern: "^3\\.1\\.\\d+$", description: "Version of the OpenAPI Specification." }),
      info: Type.Object(
        { title: Type.String(), version: Type.String({ description: "Version of the interface." }) },
        { additionalProperties: true },
      ),
      paths: Type.Object({}, { additionalProperties: true }),
    },
    { additionalProperties: true, description: "An OpenAPI 3.1 document." },
  ),
);
