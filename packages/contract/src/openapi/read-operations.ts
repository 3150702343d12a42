import { accounts, descriptions, jobRecords } from "./examples.ts";
import { failures } from "./failures.ts";
import { headersOf } from "./headers.ts";
import { jsonOf } from "./named-schemas.ts";

/** `GET /v1/jobs/{id}` (specification, "GET /v1/jobs/{id}"). */
export const jobOperation = {
  operationId: "getJob",
  tags: ["Extraction"],
  summary: "Read a past extraction",
  description:
    "Recovers a result when the call that made it was cut off after the work was done and paid for. Only the account's own jobs: another account's is `not_found`, as is an unknown one.",
  parameters: [
    {
      name: "id",
      in: "path",
      required: true,
      description: "The job's id: `id` of an extraction, or `Job-Id` of its response.",
      schema: { type: "string", format: "uuid" },
      example: "5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10",
    },
  ],
  responses: {
    200: {
      description: "The job.",
      headers: headersOf("JobId"),
      content: jsonOf("JobRecord", jobRecords),
    },
    ...failures({
      more: ["not_found"],
      wrongRequest: "The job id is not a UUID. Send the id of an extraction.",
    }),
  },
};

/** `GET /v1/me` (specification, "GET /v1/me"). */
export const accountOperation = {
  operationId: "getAccount",
  tags: ["Account"],
  summary: "The account behind the key and its balance",
  description: "Cheap enough to call before a batch. What running jobs have set aside still counts as balance.",
  responses: {
    200: {
      description: "The account.",
      headers: headersOf(),
      content: jsonOf("Account", accounts),
    },
    ...failures({}),
  },
};

/** `GET /v1/openapi.json` (specification, "GET /v1/openapi.json"). */
export const interfaceOperation = {
  operationId: "getInterface",
  tags: ["Interface"],
  summary: "This description",
  description: "Generated from the same schemas that the endpoints validate with.",
  responses: {
    200: {
      description: "An OpenAPI 3.1 document.",
      headers: headersOf(),
      content: jsonOf("InterfaceDescription", descriptions),
    },
    ...failures({}),
  },
};
