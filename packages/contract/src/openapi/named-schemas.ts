import { Account } from "../shapes/account.ts";
import { ErrorBody, ErrorCode, ErrorInside } from "../shapes/error-body.ts";
import {
  ExtractJson,
  ExtractLink,
  ExtractMultipart,
  ExtractResponse,
  ExtractUpload,
  Video,
} from "../shapes/extract.ts";
import { InterfaceDescription } from "../shapes/interface-description.ts";
import { JobRecord, JobStatus } from "../shapes/job-record.ts";
import { McpRequest, McpResponse } from "../shapes/mcp-message.ts";

const named = {
  ExtractMultipart,
  ExtractUpload,
  ExtractLink,
  ExtractJson,
  ExtractResponse,
  Video,
  JobRecord,
  JobStatus,
  Account,
  Error: ErrorBody,
  ErrorInside,
  ErrorCode,
  McpRequest,
  McpResponse,
  InterfaceDescription,
};

/** The name of a shape under `components.schemas`. */
export type SchemaName = keyof typeof named;

/** `components.schemas`: the shapes as they validate, those within others as references. */
export function namedSchemas(): Record<SchemaName, unknown> {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));
  const referring = (value: unknown): unknown => {
    const name = names.get(value);
    return name === undefined ? spelledOut(value) : { $ref: `#/components/schemas/${name}` };
  };
  const spelledOut = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(referring);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, referring(member)]));
  };
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, spelledOut(schema)])) as Record<
    SchemaName,
    unknown
  >;
}

/** JSON content of one of the named shapes, with examples. */
export function jsonOf(name: SchemaName, examples: Record<string, { summary: string; value: unknown }>) {
  return { "application/json": { schema: { $ref: `#/components/schemas/${name}` }, examples } };
}
