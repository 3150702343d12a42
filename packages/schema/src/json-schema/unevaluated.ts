import type { Ajv } from "ajv";
import type { DataValidateFunction, DataValidationCxt } from "ajv/dist/types/index.js";
import type { JsonObject, JsonValue } from "../json/json-value.ts";
import { compilePattern } from "./pattern.ts";
import { alternativesOf, type LinkedSchema, type PlainObject, type PlainSchema } from "./plain-schema.ts";

/** The members of a value that other keywords have evaluated. `all` means every one. */
type Evaluated = { all: boolean; keys: Set<string> };

const atRoot: DataValidationCxt = {
  instancePath: "",
  parentData: {},
  parentDataProperty: "",
  rootData: {},
  dynamicAnchors: {},
};

/**
 * Adds `exactUnevaluatedProperties` and `exactUnevaluatedItems`. They collect what the adjacent keywords evaluate, as
 * 2019-09 and 2020-12 define it. ajv's own keywords treat every item as evaluated by `contains`, and ignore an `if`
 * without `then` and `else`.
 */
export function addUnevaluatedKeywords(ajv: Ajv, linked: LinkedSchema): void {
  ajv.addKeyword({
    keyword: "exactUnevaluatedProperties",
    type: "object",
    errors: true,
    compile: (rest: PlainSchema, parent: PlainObject) => {
      const validate: DataValidateFunction = (data: JsonObject, at = atRoot) =>
        check(data, Object.keys(data), rest, parent, at, validate);
      return validate;
    },
  });
  ajv.addKeyword({
    keyword: "exactUnevaluatedItems",
    type: "array",
    errors: true,
    compile: (rest: PlainSchema, parent: PlainObject) => {
      const validate: DataValidateFunction = (data: JsonValue[], at = atRoot) =>
        check(
          data,
          data.map((_, index) => String(index)),
          rest,
          parent,
          at,
          validate,
        );
      return validate;
    },
  });

  function check(
    data: JsonObject | JsonValue[],
    keys: string[],
    rest: PlainSchema,
    parent: PlainObject,
    at: DataValidationCxt,
    report: DataValidateFunction,
  ): boolean {
    // The keyword itself must not count as evaluating everything.
    const { exactUnevaluatedProperties, exactUnevaluatedItems, ...others } = parent;
    const { all, keys: seen } = evaluate(others, data, at);
    const left = all ? [] : keys.filter((key) => !seen.has(key));
    const wrong = left.filter((key) => !holds(rest, (data as JsonObject)[key] ?? null, inside(data, key, at)));
    report.errors = wrong.map((unevaluated) => ({ params: { unevaluated }, message: "must not have it" }));
    return wrong.length === 0;
  }

  function evaluate(schema: PlainSchema, data: JsonObject | JsonValue[], at: DataValidationCxt): Evaluated {
    const evaluated: Evaluated = { all: false, keys: new Set() };
    if (typeof schema === "boolean") return evaluated;
    if (Array.isArray(data)) evaluateItems(schema, data, at, evaluated);
    else evaluateProperties(schema, data, evaluated);
    for (const branch of branchesInForce(schema, data, at)) {
      const inner = evaluate(branch, data, at);
      if (inner.all) evaluated.all = true;
      for (const key of inner.keys) evaluated.keys.add(key);
    }
    return evaluated;
  }

  /** Returns the subschemas that apply to the same value and that the value conforms to. */
  function* branchesInForce(schema: PlainObject, data: JsonValue, at: DataValidationCxt): Generator<PlainSchema> {
    if (typeof schema.$ref === "string")
      yield linked.$defs[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)] ?? true;
    yield* (schema.allOf ?? []) as PlainSchema[];
    for (const branch of alternativesOf(schema).flat()) {
      if (holds(branch, data, at)) yield branch;
    }
    if (schema.if === undefined) return;
    const condition = schema.if as PlainSchema;
    if (!holds(condition, data, at)) return yield (schema.else ?? true) as PlainSchema;
    yield condition;
    yield (schema.then ?? true) as PlainSchema;
  }

  function evaluateItems(schema: PlainObject, data: JsonValue[], at: DataValidationCxt, evaluated: Evaluated): void {
    const { items, contains } = schema;
    if (Array.isArray(items)) for (const index of items.keys()) evaluated.keys.add(String(index));
    else if (items !== undefined) evaluated.all = true;
    if (schema.additionalItems !== undefined || schema.exactUnevaluatedItems !== undefined) evaluated.all = true;
    if (schema.containsEvaluates !== true) return;
    for (const [index, item] of data.entries()) {
      if (holds(contains as PlainSchema, item, inside(data, index, at))) evaluated.keys.add(String(index));
    }
  }

  function holds(schema: PlainSchema, data: JsonValue, at: DataValidationCxt): boolean {
    return typeof schema === "boolean" ? schema : ajv.compile(schema)(data, at) === true;
  }
}

function evaluateProperties(schema: PlainObject, data: JsonObject, evaluated: Evaluated): void {
  if (schema.additionalProperties !== undefined || schema.exactUnevaluatedProperties !== undefined) {
    evaluated.all = true;
  }
  const properties = (schema.properties ?? {}) as object;
  const patterns = Object.keys((schema.patternProperties ?? {}) as object).map(compilePattern);
  for (const key of Object.keys(data)) {
    if (Object.hasOwn(properties, key) || patterns.some((pattern) => pattern.test(key))) evaluated.keys.add(key);
  }
}

function inside(container: JsonObject | JsonValue[], key: string | number, at: DataValidationCxt): DataValidationCxt {
  return { ...at, instancePath: `${at.instancePath}/${key}`, parentData: container, parentDataProperty: key };
}
