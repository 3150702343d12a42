import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { pointerSteps, shorten } from "../json/texts.ts";
import { type Dialect, isSince, readDialect } from "./plain-schema.ts";
import { isObject, isSchema, subschemas } from "./subschemas.ts";

/** A schema with its own address, and the anchors inside it. */
export type Resource = {
  readonly uri: string;
  readonly dialect: Dialect;
  readonly root: JsonObject;
  readonly anchors: Map<string, JsonObject>;
  /** The `$dynamicAnchor`s by name. The empty name means `$recursiveAnchor: true`. */
  readonly dynamicAnchors: Map<string, JsonObject>;
};

/** The schemas that a reference can reach without a fetch. */
export type SchemaIndex = {
  /** Returns every resource: the schema itself, and those inside it with an identifier. */
  resources(): Iterable<Resource>;
  /** Returns the resource that a schema belongs to. */
  resourceOf(schema: JsonObject): Resource;
  /** Returns the target of a reference in `schema`, or the reason why it has no target. */
  resolve(schema: JsonObject, reference: string): { target: JsonObject | boolean } | { error: string };
};

/**
 * Indexes a schema by its identifiers and anchors, by the rules of its dialect. `known` returns the metaschema at an
 * absolute address.
 */
export function indexSchema(
  root: JsonObject,
  dialect: Dialect,
  known: (uri: string) => KnownSchema | undefined,
): SchemaIndex {
  const owners = new Map<JsonObject, Resource>();
  const resources = new Map<string, Resource>();
  enter(root, { uri: "schema:///root", dialect }, true);

  return {
    resources: () => new Set(owners.values()),
    resourceOf(schema) {
      const owner = owners.get(schema);
      if (!owner) throw new Error("The schema is not in the index.");
      return owner;
    },
    resolve(schema, reference) {
      const hash = reference.indexOf("#");
      const address = hash < 0 ? reference : reference.slice(0, hash);
      const fragment = decodeFragment(hash < 0 ? "" : reference.slice(hash + 1));
      const from = this.resourceOf(schema);
      const resource = find(address === "" ? from.uri : absolute(address, from.uri));
      if (!resource)
        return { error: `refers to "${shorten(reference, 120)}", which is not in the schema; nothing is fetched` };
      const target = locate(resource, fragment);
      return target === undefined
        ? { error: `refers to "${shorten(reference, 120)}", where there is no schema` }
        : { target };
    },
  };

  function find(uri: string): Resource | undefined {
    const found = resources.get(uri);
    if (found) return found;
    const schema = known(uri);
    if (!schema) return undefined;
    enter(schema.root, { uri, dialect: schema.dialect }, true);
    return resources.get(uri);
  }

  function enter(schema: JsonObject, within: Resource | { uri: string; dialect: Dialect }, isRoot = false): void {
    const { address, anchor } = readIdentifier(schema, within.dialect, isRoot);
    let resource = "root" in within ? within : undefined;
    if (!resource || address !== undefined) {
      const uri = address === undefined ? within.uri : absolute(address, within.uri);
      const dialect = readDialect(schema.$schema) ?? within.dialect;
      resource = { uri, dialect, root: schema, anchors: new Map(), dynamicAnchors: new Map() };
      if (!resources.has(uri)) resources.set(uri, resource);
      if (isRoot && !resources.has(within.uri)) resources.set(within.uri, resource);
      if (dialect === "2019-09" && schema.$recursiveAnchor === true) resource.dynamicAnchors.set("", schema);
    }
    owners.set(schema, resource);
    nameAnchors(schema, resource, anchor);
    for (const inner of subschemas(schema, resource.dialect)) enter(inner, resource);
  }

  function locate(resource: Resource, fragment: string): JsonObject | boolean | undefined {
    const steps = pointerSteps(fragment);
    if (!steps) return resource.anchors.get(fragment);
    let owner = resource;
    let at: JsonValue | undefined = resource.root;
    for (const step of steps) {
      if (Array.isArray(at)) at = /^(?:0|[1-9]\d*)$/.test(step) ? at[Number(step)] : undefined;
      else if (isObject(at)) at = at[step];
      else return undefined;
      if (isObject(at)) owner = owners.get(at) ?? owner;
    }
    if (!isSchema(at)) return undefined;
    // A value under an unknown keyword becomes a schema when a reference points to it.
    if (isObject(at) && !owners.has(at)) enter(at, owner);
    return at;
  }
}

/** A schema that is available without a fetch. */
export type KnownSchema = { root: JsonObject; dialect: Dialect };

function nameAnchors(schema: JsonObject, resource: Resource, fromIdentifier: string | undefined): void {
  const names = [fromIdentifier];
  if (isSince(resource.dialect, "2019-09")) names.push(text(schema.$anchor));
  if (resource.dialect === "2020-12") {
    const dynamic = text(schema.$dynamicAnchor);
    names.push(dynamic);
    if (dynamic && !resource.dynamicAnchors.has(dynamic)) resource.dynamicAnchors.set(dynamic, schema);
  }
  for (const name of names) if (name && !resource.anchors.has(name)) resource.anchors.set(name, schema);
}

function readIdentifier(schema: JsonObject, dialect: Dialect, isRoot: boolean): { address?: string; anchor?: string } {
  const id = text(schema[dialect === "draft-04" ? "id" : "$id"]);
  if (id === undefined) return {};
  // Up to draft-07, keywords beside `$ref` are ignored. The address of the root is still needed for references to it.
  if (!isSince(dialect, "2019-09") && typeof schema.$ref === "string" && !isRoot) return {};
  const hash = id.indexOf("#");
  const address = hash < 0 ? id : id.slice(0, hash);
  const anchor = hash < 0 ? "" : decodeFragment(id.slice(hash + 1));
  return { ...(address !== "" && { address }), ...(anchor !== "" && { anchor }) };
}

function absolute(address: string, base: string): string {
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
