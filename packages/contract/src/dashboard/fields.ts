import Type, { type TSchema } from "typebox";

/** A time of the database's clock, RFC 3339. */
export const Time = Type.String({ format: "date-time" });

/** The id of a job, a key or an account. */
export const Id = Type.String({ format: "uuid" });

/** A day in UTC, `YYYY-MM-DD`. */
export const Day = Type.String({ format: "date" });

/** Whole seconds of video. */
export const Seconds = Type.Integer();

/** The cursor of the next page; null on the last page. It is opaque to clients. */
export const NextCursor = Type.Union([Type.String(), Type.Null()]);

/** An object with exactly these members. */
export function exact<Members extends Record<string, TSchema>>(members: Members) {
  return Type.Object(members, { additionalProperties: false });
}

/** A value or null. */
export function orNull<Shape extends TSchema>(shape: Shape) {
  return Type.Union([shape, Type.Null()]);
}
