import type { TextReading, Trim, TrimLeft, TypeWord } from "./sketch-text.ts";
import type { IsAny, IsLiteral, LeftOut } from "./type-tools.ts";

declare const refused: unique symbol;

/** The type of the data when the service would refuse the sketch. `Why` names the fault and the correction. */
export type RefusedSketch<Why extends string> = { readonly [refused]: Why };

/**
 * Why the service refuses a sketch, `<place>: <what to write instead>` each. The place is a JSON pointer without its
 * first slash. Never, if types cannot prove that it does (docs/decisions/0001, "Schema input", "Sketch guards").
 */
export type SketchRefusals<S> = RefusalsOfMembers<S, ""> | RepeatedKeys<S, "">;

/** A value of a union type is refused only if each member of the union is. */
type Refusals<V, At extends string> =
  Verdict<V, At> extends infer Found extends string ? ("fine" extends Found ? never : Found) : never;

type Verdict<V, At extends string> =
  IsAny<V> extends true
    ? "fine"
    : V extends LeftOut
      ? never
      : V extends null
        ? `${At}: null says nothing about the value; write a type word such as "string?"`
        : V extends string
          ? OrFine<TextRefusals<V, At>>
          : V extends readonly [infer First, ...unknown[]]
            ? OrFine<Refusals<First, `${At}/0`>>
            : V extends readonly unknown[] | { toJSON(...args: never): unknown }
              ? "fine"
              : V extends object
                ? OrFine<RefusalsOfMembers<V, `${At}/`> | RepeatedKeys<V, `${At}/`>>
                : "fine";

type OrFine<Found extends string> = [Found] extends [never] ? "fine" : Found;

type RefusalsOfMembers<S, Before extends string> = string extends keyof S
  ? never
  : { [K in keyof S & (string | number)]-?: Refusals<S[K], `${Before}${K}`> }[keyof S & (string | number)];

type RepeatedKeys<S, Before extends string> = keyof S & `${keyof S & string}?` extends infer Marked extends string
  ? Marked extends unknown
    ? `${Before}${Marked}: the key is there twice, with and without \`?\`; write it once`
    : never
  : never;

type TextRefusals<V extends string, At extends string> =
  IsLiteral<V> extends true
    ? ArrayWord<Lowercase<Trim<V>>> extends infer Word extends string
      ? [Word] extends [never]
        ? OptionRefusals<TextReading<V>, At>
        : `${At}: write ["${Word}"]; an array is written in brackets`
      : never
    : never;

/** The type word of a text such as `string[]`, else never. */
type ArrayWord<Lower extends string> = {
  [Word in TypeWord]: Lower extends `${Word}${infer Tail}`
    ? Unmarked<TrimLeft<Tail>> extends `[${infer Inside}`
      ? TrimLeft<Inside> extends `]${string}`
        ? Word
        : never
      : never
    : never;
}[TypeWord];

type Unmarked<Tail extends string> = Tail extends `?${infer Rest}` ? TrimLeft<Rest> : Tail;

/** Options of which each is a type word or `null`, or one of which is empty. */
type OptionRefusals<
  Reading extends { data: unknown; optional: boolean },
  At extends string,
> = Reading["data"] extends infer Option extends string
  ? IsLiteral<Option> extends true
    ? "" extends Option
      ? `${At}: an option of the enum is empty; write each as text between bars, \`a|b|c\``
      : [Lowercase<Option>] extends [TypeWord | "null"]
        ? `${At}: write "${OneType<Lowercase<Option>, Reading["optional"]>}"; \`|\` separates the words of an enum, not types`
        : never
    : never
  : never;

type OneType<Lower extends string, Optional extends boolean> = [Exclude<Lower, "null">] extends [never]
  ? "string?"
  : `${Exclude<Lower, "null">}${"null" extends Lower ? "?" : Optional extends true ? "?" : ""}`;
