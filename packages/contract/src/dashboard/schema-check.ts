import Type from "typebox";
import { exact, orNull } from "./fields.ts";

/** Body of `POST schema/check`: the text of a sketch or a JSON Schema, which may still be incomplete. */
export const SchemaText = exact({ schema: Type.String() });
export type SchemaText = Type.Static<typeof SchemaText>;

/** Characters (UTF-16 units) of the text: `from` is the first, `to` follows the last. */
const Place = exact({ from: Type.Integer(), to: Type.Integer() });

/** A fault or a doubt at a JSON pointer (the root's is empty). `place` is null if it is unknown. */
export const SchemaRemark = exact({ pointer: Type.String(), reason: Type.String(), place: orNull(Place) });
export type SchemaRemark = Type.Static<typeof SchemaRemark>;

/**
 * Answer of `POST schema/check`. `json_schema` is the JSON Schema as text, with its keys in order; null if there are
 * errors.
 */
export const SchemaCheck = exact({
  kind: Type.Enum(["sketch", "json_schema"]),
  json_schema: orNull(Type.String()),
  warnings: Type.Array(SchemaRemark),
  errors: Type.Array(SchemaRemark),
});
export type SchemaCheck = Type.Static<typeof SchemaCheck>;
