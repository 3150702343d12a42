import type { IsLiteral } from "./type-tools.ts";

/**
 * Parses a string of a sketch (docs/decisions/0001, "Schema input"). `data` is the type of the value. `optional` is
 * whether the string marks its field as optional, or `boolean` if the string's type does not determine it.
 */
export type TextReading<V extends string> = V extends string
  ? IsLiteral<V> extends true
    ? ReadTrimmed<Trim<V>>
    : { data: unknown; optional: boolean }
  : never;

type ReadTrimmed<T extends string> =
  ReadTyped<T, Lowercase<T>> extends infer Typed ? ([Typed] extends [never] ? ReadUntyped<T> : Typed) : never;

type Words = {
  string: string;
  text: string;
  str: string;
  number: number;
  float: number;
  decimal: number;
  integer: number;
  int: number;
  boolean: boolean;
  bool: boolean;
  timestamp: string;
  time: string;
  at: string;
  when: string;
  clock: string;
};

/** A word that means a type. */
export type TypeWord = keyof Words;

/** A type word, alone or with a description, else never. At most one word matches. */
type ReadTyped<T extends string, Lower extends string> = {
  [Word in TypeWord]: Lower extends `${Word}${infer Tail}`
    ? TailMark<Tail> extends infer Marked
      ? [Marked] extends [never]
        ? never
        : { data: Words[Word]; optional: Marked extends true ? true : EndsMarked<T> }
      : never
    : never;
}[TypeWord];

/** Whether the text after a type word begins with `?`. Never if no type word can be followed by this text. */
type TailMark<Tail extends string> =
  TrimLeft<Tail> extends `?${infer Rest}`
    ? IsSeparated<Rest> extends true
      ? true
      : never
    : IsSeparated<Tail> extends true
      ? false
      : never;

/** Whether a text is empty or begins with a separator. `-` needs white space on one side. */
type IsSeparated<Tail extends string> =
  TrimLeft<Tail> extends "" | `${"—" | "--" | "//" | ":"}${string}`
    ? true
    : Tail extends `${Space}${string}`
      ? TrimLeft<Tail> extends `-${string}`
        ? true
        : false
      : Tail extends `-${Space}${string}`
        ? true
        : false;

/** Options between bars, or the description of a string. */
type ReadUntyped<T extends string> = T extends `${string}|${string}`
  ? T extends `${string}${RareSpace}${string}`
    ? // For every kind of white space, finding the end of the options would need a search that types cannot do.
      { data: string; optional: boolean }
    : ReadOptions<T, Trim<Before<Before<Before<T, " — ">, " -- ">, " // ">>>
  : { data: string; optional: EndsMarked<T> };

type ReadOptions<T extends string, Head extends string> = Head extends `${string}|${string}`
  ? Head extends `${infer Marked}?`
    ? { data: Options<Marked>; optional: true }
    : { data: Options<Head>; optional: EndsMarked<T> }
  : { data: string; optional: EndsMarked<T> };

/** The trimmed options of a list, or string for more options than the compiler handles well. */
type Options<T extends string, Found extends string = never, Count extends 1[] = []> = Count["length"] extends 400
  ? string
  : T extends `${infer Option}|${infer Rest}`
    ? Options<Rest, Found | Trim<Option>, [...Count, 1]>
    : Found | Trim<T>;

type EndsMarked<T extends string> = T extends `${string}?` ? true : false;

type Before<T extends string, Separator extends string> = T extends `${infer Head}${Separator}${string}` ? Head : T;

type RareSpace =
  | "\t"
  | "\n"
  | "\v"
  | "\f"
  | "\r"
  | "\u00a0"
  | "\u1680"
  | "\u2000"
  | "\u2001"
  | "\u2002"
  | "\u2003"
  | "\u2004"
  | "\u2005"
  | "\u2006"
  | "\u2007"
  | "\u2008"
  | "\u2009"
  | "\u200a"
  | "\u2028"
  | "\u2029"
  | "\u202f"
  | "\u205f"
  | "\u3000"
  | "\ufeff";
type Space = " " | RareSpace;
/** A text without white space at its start. */
export type TrimLeft<T extends string> = T extends `${Space}${infer Rest}` ? TrimLeft<Rest> : T;
type TrimRight<T extends string> = T extends `${infer Rest}${Space}` ? TrimRight<Rest> : T;
/** A text without white space at its ends. */
export type Trim<T extends string> = TrimRight<TrimLeft<T>>;
