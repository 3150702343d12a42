import { extractOperation } from "./extract-operation.ts";
import { headers } from "./headers.ts";
import { mcpOperation } from "./mcp-operation.ts";
import { namedSchemas } from "./named-schemas.ts";
import { accountOperation, interfaceOperation, jobOperation } from "./read-operations.ts";

const description = `One call turns a video into JSON that conforms to your schema.

**Schema.** Send a JSON Schema, or a *sketch*: an example of the answer with a type word where each value would go, such as
\`{"goals":[{"at":"timestamp","team":"home|away","player?":"string"}]}\`. A root with any of \`$schema\`, \`properties\`,
\`$defs\`, \`type\`, \`items\`, \`enum\`, \`anyOf\`, \`oneOf\`, \`allOf\` or \`$ref\` is a JSON Schema. What is sent is what the
answer is validated against; an answer that does not conform is asked for again, and what never conforms is an error and
no data. Times come back as \`MM:SS\` from the start of the video.

**Key.** Every endpoint takes \`Authorization: Bearer <API_KEY>\`. A key spends minutes: keep it on a server or in a shell,
never in a browser or an app.

**Cost.** Per second of the video as measured, 60 seconds at least for each job, and only for an answer that conforms.

**Errors.** Every response that is no success has the shape \`Error\`. Decide by \`error.code\`; \`error.message\` is for people
and says what to do next. Every response names its request in \`X-Request-Id\`.`;

const tags = [
  { name: "Extraction", description: "Video in, JSON out; and reading it again." },
  { name: "Account", description: "What is left to spend." },
  { name: "Agents", description: "The same capability over the Model Context Protocol." },
  { name: "Interface", description: "This description, for machines." },
];

/**
 * The machine-readable interface description, version 1.0.0 (specification, "GET /v1/openapi.json" and "Versioning"),
 * out of the same schemas that the endpoints validate with. `serverUrl` is the base address callers use; `/` means the
 * one that the document was read from.
 */
export function openApiDocument(serverUrl: string) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Video-to-JSON",
      version: "1.0.0",
      description,
      contact: { name: "The operator of this service" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: serverUrl.replace(/(.)\/+$/, "$1"), description: "This service" }],
    security: [{ key: [] }],
    tags,
    paths: {
      "/v1/extract": { post: extractOperation },
      "/v1/jobs/{id}": { get: jobOperation },
      "/v1/me": { get: accountOperation },
      "/v1/openapi.json": { get: interfaceOperation },
      "/v1/mcp": { post: mcpOperation },
    },
    components: {
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          bearerFormat: "v2j_live_…",
          description: "`Authorization: Bearer <API_KEY>`. A missing, malformed or revoked key is `unauthorised`.",
        },
      },
      headers,
      schemas: namedSchemas(),
    },
  };
}
