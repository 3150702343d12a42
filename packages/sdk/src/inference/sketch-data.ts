import type { TextReading } from "./sketch-text.ts";
import type { Flat, IsAny, LeftOut } from "./type-tools.ts";

/** The type of the data that a sketch describes (specification, and docs/decisions/0001, "Schema input"). */
export type SketchData<S> = Flat<
  {
    -readonly [K in keyof S as KeyIf<K, S[K], false>]: PlaceData<S[K], NameOf<K>>;
  } & {
    -readonly [K in keyof S as KeyIf<K, S[K], true>]?: PlaceData<S[K], NameOf<K>>;
  }
>;

/** A key without its question mark. */
type NameOf<K> = K extends `${infer Name}?` ? Name : K;

/** The name of a field whose optionality is `Optional`, else never. */
type KeyIf<K, V, Optional extends boolean> = K extends symbol
  ? never
  : [V] extends [LeftOut]
    ? never
    : true extends MayBeMissing<K, V>
      ? Optional extends true
        ? NameOf<K>
        : never
      : Optional extends true
        ? never
        : NameOf<K>;

type MayBeMissing<K, V> = unknown extends V
  ? true
  : K extends `${string}?`
    ? true
    : V extends LeftOut
      ? true
      : V extends string
        ? TextReading<V>["optional"]
        : false;

type TimestampKey = "at" | "time" | "timestamp" | "start" | "end" | "startsAt" | "endsAt" | "start_time" | "end_time";

/** A timestamp key turns a number into a string. It changes no other type. */
type Timed<Data, Name> = Name extends TimestampKey ? (Data extends number ? string : Data) : Data;

type PlaceData<V, Name> =
  IsAny<V> extends true
    ? unknown
    : V extends string
      ? Timed<TextReading<V>["data"], Name>
      : V extends number
        ? Timed<number, Name>
        : V extends boolean
          ? boolean
          : V extends readonly unknown[]
            ? ItemData<V>[]
            : V extends LeftOut
              ? never
              : V extends null | bigint | { toJSON(...args: never): unknown }
                ? unknown
                : V extends object
                  ? ObjectData<V>
                  : unknown;

type ObjectData<V extends object> = [keyof V] extends [never]
  ? unknown
  : string extends keyof V
    ? Record<string, unknown>
    : SketchData<V>;

/** The type of an array's elements: that of the first element, or string for an empty array. */
type ItemData<V extends readonly unknown[]> = V extends readonly []
  ? string
  : V extends readonly [infer First, ...unknown[]]
    ? PlaceData<First, "">
    : unknown;
