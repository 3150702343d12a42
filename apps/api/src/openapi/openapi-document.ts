import type { Limits } from "@video-to-json/contract";
import { limitsMarkdown } from "@video-to-json/contract/limits-text";
import { nameOf } from "@video-to-json/contract/shapes/service";
import {
  sketchExamplesMarkdown,
  sketchMistakesMarkdown,
  sketchRulesMarkdown,
} from "@video-to-json/contract/sketch-language/markdown";
import { type CodeSample, codeSamples } from "./code-samples.ts";
import { type Content, failures, headers, headersOf, type Operation, tags } from "./operation.ts";

const description = (limits: Limits) => `One call turns a video into JSON that conforms to your schema.

**Schema.** Send a JSON Schema, or a *sketch* such as
\`{"goals":[{"at":"timestamp","team":"home|away","player?":"string"}]}\`: see *The sketch language* below. The answer is
validated against the schema exactly as you sent it. An answer that does not conform is never returned: the model is asked
again, and in the end the request fails without data. Times are \`MM:SS\` from the start of the video.

**Key.** Every endpoint takes \`Authorization: Bearer <API_KEY>\`. A key spends minutes: keep it on a server or in a shell,
never in a browser or an app.

**Cost.** Per second of the video as measured, with a minimum for each job, and only for an answer that conforms.

**Errors.** Every failed response has the shape \`Error\`. Decide by \`error.code\`; \`error.message\` is for people and says
what to do next. Every response names its request in \`X-Request-Id\`.

## Limits

This service has these limits. Its operator may have set others than another service has.

${limitsMarkdown(limits)}

## The sketch language

${sketchRulesMarkdown("list")}

### Examples

${sketchExamplesMarkdown()}

### Common mistakes

${sketchMistakesMarkdown("list")}`;

/** The part of a route that the interface description shows. `path` is a template, such as `/v1/jobs/{id}`. */
export type DescribedRoute = {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
};

/**
 * Returns the interface description, version 1.0.0 (specification, "GET /v1/openapi.json" and "Versioning"). It shows the
 * shapes that the endpoints validate with. `serverUrl` is the base address that callers use; `/` means the server that
 * the document was read from.
 */
export function openApiDocument(routes: readonly DescribedRoute[], serverUrl: string, limits: Limits) {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, OperationObject>> = {};
  const address = serverUrl.replace(/(.)\/+$/, "$1");
  for (const { method, path, operation } of routes) {
    paths[path] = { ...paths[path], [method]: operationObject(operation, { address, limits }, schemas) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Video-to-JSON",
      version: "1.0.0",
      description: description(limits),
      contact: { name: "The operator of this service" },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: address, description: "This service" }],
    security: [{ key: [] }],
    tags,
    paths,
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
      schemas,
    },
  };
}

/**
 * Returns an interface description for generators of clients. They know one content type for an operation and prefer JSON,
 * which takes no file. So an operation with a form takes the form alone in it, and a file has a media type but no other type.
 */
export function forGenerators(openApiJson: string): string {
  const description = JSON.parse(openApiJson, (_name, value) => {
    if (value?.["multipart/form-data"]) return { "multipart/form-data": value["multipart/form-data"] };
    return value?.format === "binary" ? { ...value, format: undefined, type: undefined } : value;
  });
  return JSON.stringify(description);
}

type OperationObject = {
  operationId: string;
  tags: string[];
  "x-codeSamples": CodeSample[];
  requestBody?: { content: Content };
  responses: Record<string, ResponseObject>;
};
type ResponseObject = { description: string; headers: object; content?: Content };

function operationObject(
  operation: Operation,
  { address, limits }: { address: string; limits: Limits },
  schemas: Record<string, unknown>,
): OperationObject {
  const { tag, requestBody, responses: own, failures: more = {}, ...rest } = operation;
  const responses: Record<string, ResponseObject> = {};
  for (const [status, response] of Object.entries(own)) {
    responses[status] = { ...response, headers: headersOf(response.headers) };
  }
  for (const { status, response } of failures(more, limits)) {
    responses[status] = either(responses[status], { ...response, headers: headersOf(response.headers) });
  }
  const body = requestBody && { requestBody: { required: true, ...requestBody } };
  const samples = { "x-codeSamples": codeSamples(operation.operationId, address) };
  return withReferences({ ...rest, tags: [tag], ...body, responses, ...samples }, schemas) as OperationObject;
}

/** This status of the route has a shape of its own, and also the Error: the body may have either shape. */
function either(own: ResponseObject | undefined, failure: ResponseObject): ResponseObject {
  const [one, other] = [own?.content?.["application/json"], failure.content?.["application/json"]];
  if (!own || !one || !other) return failure;
  const schema = { anyOf: [one.schema, other.schema] };
  const headers = { ...own.headers, ...failure.headers };
  return {
    ...own,
    headers,
    content: { "application/json": { schema, examples: { ...one.examples, ...other.examples } } },
  };
}

/**
 * Returns a copy of a part of the interface description in which every named shape is a reference, and adds the shapes
 * themselves to `schemas` (`components.schemas`).
 */
function withReferences(part: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(part)) return part.map((item) => withReferences(item, schemas));
  if (typeof part !== "object" || part === null) return part;
  const name = nameOf(part);
  if (name === undefined) return membersWithReferences(part, schemas);
  if (!(name in schemas)) {
    // The name is taken before its members are read, so that it comes before the shapes inside it.
    schemas[name] = undefined;
    schemas[name] = membersWithReferences(part, schemas);
  }
  return { $ref: `#/components/schemas/${name}` };
}

function membersWithReferences(part: object, schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, withReferences(member, schemas)]));
}
