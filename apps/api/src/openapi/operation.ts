import type { CatalogueEntry } from "@video-to-json/contract";
import type { HeaderName } from "./headers.ts";
import type { TagName } from "./tags.ts";

/** Examples of bodies, by name. */
export type Examples = Readonly<Record<string, { summary: string; value: unknown }>>;

/** Bodies by media type. `schema` is a shape of the contract, or a JSON Schema. */
export type Content = Readonly<Record<string, { schema: object; examples?: Examples; encoding?: object }>>;

type Response = {
  readonly description: string;
  /** Headers in addition to those of every response. */
  readonly headers?: readonly HeaderName[];
  readonly content?: Content;
};

/** What the interface description says about a route, with shapes instead of references. */
export type Operation = {
  readonly operationId: string;
  readonly tag: TagName;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: { readonly description?: string; readonly content: Content };
  /** The responses by status, except the failures of the error catalogue. */
  readonly responses: Readonly<Record<number, Response>>;
  /** Failures in addition to those of every operation: the codes of a scope of the error catalogue. */
  readonly failures?: {
    readonly scope?: CatalogueEntry<unknown>["scope"];
    /** Headers that any failure may have after the key has been checked. */
    readonly headers?: readonly HeaderName[];
    /** An example of a message of `invalid_request` of this operation. */
    readonly invalidRequest?: string;
  };
};

/** Returns JSON content of a shape, with examples. */
export function json(schema: object, examples: Examples): Content {
  return { "application/json": { schema, examples } };
}

/**
 * Returns content that is a stream of server-sent events. `shapes` has the shape of the data of each event. OpenAPI 3.1
 * has no place for it, so it is in the `$defs` of the stream.
 */
export function events(shapes: Readonly<Record<string, object>>, description: string, examples: Examples): Content {
  return { "text/event-stream": { schema: { type: "string", description, $defs: shapes }, examples } };
}
