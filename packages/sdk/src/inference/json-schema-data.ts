import type { Flat, IsAny, IsLiteral } from "./type-tools.ts";

/**
 * The type of the data that a JSON Schema allows. Where TypeScript cannot express a keyword, the type is wider: every
 * keyword narrows, so ignoring one is safe. Knows draft-06 to 2020-12. Data of other dialects is `unknown`.
 */
export type JsonSchemaData<Root> =
  DialectOf<Root> extends infer D ? ([D] extends [Dialect] ? Resolve<Root, Root, D> : unknown) : never;

type Dialect = "before 2020-12" | "2020-12";

type DialectOf<Root> = Root extends { $schema: infer Named extends string }
  ? IsLiteral<Named> extends true
    ? Named extends `${string}://json-schema.org/draft/2020-12/schema${"" | "#"}`
      ? "2020-12"
      : Named extends `${string}://json-schema.org/${"draft-06" | "draft-07" | "draft/2019-09"}/schema${"" | "#"}`
        ? "before 2020-12"
        : undefined
    : undefined
  : "2020-12";

// The most references and combinations between two properties or elements. The limit ends endless loops.
type MaxSteps = 8;

/** The data of the root, or of a reference to it. `Steps` counts the steps since the last property or element. */
type Resolve<S, Root, D extends Dialect, Steps extends 1[] = []> =
  IsAny<S> extends true
    ? unknown
    : Steps["length"] extends MaxSteps
      ? unknown
      : S extends boolean
        ? S extends false
          ? never
          : unknown
        : S extends { $ref: infer Ref }
          ? Follow<Ref, Root, D, [...Steps, 1]>
          : "$ref" extends keyof S
            ? unknown
            : Combined<S, Root, D, [...Steps, 1]>;

/** The data of a nested schema. A nested schema with its own id has its own references, which are not followed. */
type ResolveNested<S, Root, D extends Dialect, Steps extends 1[] = []> =
  IsAny<S> extends true
    ? unknown
    : S extends { $ref: unknown }
      ? Resolve<S, Root, D, Steps>
      : Extract<keyof S, "$id" | "id" | "$schema"> extends never
        ? Resolve<S, Root, D, Steps>
        : unknown;

/** The data of a reference. Keywords beside it are ignored: if they apply, they only narrow the type. */
type Follow<Ref, Root, D extends Dialect, Steps extends 1[]> = Ref extends "#" | ""
  ? Resolve<Root, Root, D, Steps>
  : Ref extends `#/${infer Place extends "$defs" | "definitions"}/${infer Name}`
    ? Root extends { [P in Place]: { [N in Name]: infer Found } }
      ? ResolveNested<Found, Root, D, Steps>
      : unknown
    : unknown;

type Combined<S, Root, D extends Dialect, Steps extends 1[]> = ValueData<S, Root, D, Steps> &
  AnyOf<Get<S, "anyOf">, Root, D, Steps> &
  AnyOf<Get<S, "oneOf">, Root, D, Steps> &
  AllOf<Get<S, "allOf">, Root, D, Steps>;

/** The value of a keyword, or `unset`. */
type Get<S, K extends string> = K extends keyof S ? S[K] : unset;
declare const absent: unique symbol;
type unset = typeof absent;

type AnyOf<T, Root, D extends Dialect, Steps extends 1[]> = T extends readonly [unknown, ...unknown[]]
  ? { [I in keyof T]: ResolveNested<T[I], Root, D, Steps> }[number]
  : unknown;

type AllOf<T, Root, D extends Dialect, Steps extends 1[], All = unknown> = T extends readonly [
  infer First,
  ...infer Rest,
]
  ? AllOf<Rest, Root, D, Steps, All & ResolveNested<First, Root, D, Steps>>
  : All;

type ValueData<S, Root, D extends Dialect, Steps extends 1[]> = S extends { const: infer Value }
  ? JsonValue<Value>
  : S extends { enum: readonly [unknown, ...unknown[]] }
    ? JsonValue<S["enum"][number]>
    : S extends { type: infer Type }
      ? Type extends readonly [unknown, ...unknown[]]
        ? TypeData<Type[number], S, Root, D, Steps>
        : TypeData<Type, S, Root, D, Steps>
      : unknown;

/** A `const` or `enum` value as data. */
type JsonValue<V> = V extends string | number | boolean | null
  ? V
  : V extends readonly unknown[]
    ? { -readonly [I in keyof V]: JsonValue<V[I]> }
    : unknown;

type TypeData<Type, S, Root, D extends Dialect, Steps extends 1[]> = Type extends string
  ? IsLiteral<Type> extends true
    ? Type extends "string"
      ? string
      : Type extends "number" | "integer"
        ? number
        : Type extends "boolean"
          ? boolean
          : Type extends "null"
            ? null
            : Type extends "object"
              ? ObjectData<S, Root, D>
              : Type extends "array"
                ? ArrayData<S, Root, D, Steps>
                : unknown
    : unknown
  : unknown;

type ObjectData<S, Root, D extends Dialect> =
  Get<S, "properties"> extends infer Properties
    ? Properties extends unset
      ? Flat<OpenData<S, Root, D> & { [K in RequiredNames<S>]: unknown }>
      : Properties extends object
        ? string extends keyof Properties
          ? { [key: string]: unknown }
          : NamedData<Properties, RequiredNames<S>, Root, D> & MoreData<S>
        : { [key: string]: unknown }
    : never;

type NamedData<Properties, Required extends string, Root, D extends Dialect> = Flat<
  {
    -readonly [K in keyof Properties as `${K & (string | number)}` extends Required ? K : never]-?: ResolveNested<
      Properties[K],
      Root,
      D
    >;
  } & {
    -readonly [K in keyof Properties as `${K & (string | number)}` extends Required ? never : K]?: ResolveNested<
      Properties[K],
      Root,
      D
    >;
  } & { [K in Exclude<Required, `${keyof Properties & (string | number)}`>]: unknown }
>;

/** The names in `required`, if its type is a tuple of literals. */
type RequiredNames<S> = S extends { required: readonly (infer Name)[] }
  ? Name extends string
    ? IsLiteral<Name> extends true
      ? S extends { required: readonly [unknown, ...unknown[]] }
        ? Name
        : never
      : never
    : never
  : never;

/** An object without named properties. */
type OpenData<S, Root, D extends Dialect> =
  Get<S, "patternProperties"> extends unset
    ? Get<S, "additionalProperties"> extends infer More
      ? More extends unset | true
        ? { [key: string]: unknown }
        : More extends false
          ? { [key: string]: never }
          : More extends object
            ? { [key: string]: ResolveNested<More, Root, D> }
            : { [key: string]: unknown }
      : never
    : { [key: string]: unknown };

/** Additional keys are readable if the schema describes them. */
type MoreData<S> = Get<S, "additionalProperties"> extends unset | boolean ? unknown : { [key: string]: unknown };

type ArrayData<S, Root, D extends Dialect, Steps extends 1[]> =
  Get<S, "prefixItems"> extends infer Prefix
    ? Prefix extends unset
      ? Items<Get<S, "items">, Root, D>
      : D extends "2020-12"
        ? Prefix extends readonly [unknown, ...unknown[]]
          ? Tuple<Prefix, Get<S, "minItems">, Get<S, "items">, Root, D, Steps>
          : unknown[]
        : Items<Get<S, "items">, Root, D>
    : never;

type Items<T, Root, D extends Dialect> = T extends unset | readonly unknown[]
  ? unknown[]
  : T extends object | boolean
    ? ResolveNested<T, Root, D>[]
    : unknown[];

/** A tuple of `prefixItems`: required up to `minItems`, then optional, then the remaining items. */
type Tuple<
  Left extends readonly unknown[],
  Min,
  More,
  Root,
  D extends Dialect,
  Steps extends 1[],
  Sure extends unknown[] = [],
  Perhaps extends unknown[] = [],
> = Left extends readonly [infer First, ...infer Rest]
  ? Sure["length"] extends (Min extends number ? Min : 0)
    ? Tuple<Rest, Min, More, Root, D, Steps, Sure, [...Perhaps, ResolveNested<First, Root, D, Steps>]>
    : Tuple<Rest, Min, More, Root, D, Steps, [...Sure, ResolveNested<First, Root, D, Steps>], Perhaps>
  : More extends false
    ? [...Sure, ...Partial<Perhaps>]
    : [...Sure, ...Partial<Perhaps>, ...Items<More, Root, D>];
