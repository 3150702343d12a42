import Type from "typebox";
import { exact, Id, orNull, Time } from "./fields.ts";

const record = { id: Id, name: Type.String(), version: Type.Integer(), created_at: Time };

/** `GET schemas`: every version of every saved schema, by name, the newest version first. */
export const SavedSchemas = exact({ schemas: Type.Array(exact(record)) });
export type SavedSchemas = Type.Static<typeof SavedSchemas>;

/** The texts of a schema as its author wrote them. The schema may be incomplete. */
const texts = { schema: Type.String({ maxLength: 262_144 }), instructions: orNull(Type.String({ maxLength: 10_000 })) };

/** Body of `POST schemas`. A name that exists already gets its next version. */
export const NewSchema = exact({ name: Type.String({ minLength: 1, maxLength: 100 }), ...texts });
export type NewSchema = Type.Static<typeof NewSchema>;

/** `GET schemas/{id}`. */
export const SavedSchema = exact({ ...record, ...texts });
export type SavedSchema = Type.Static<typeof SavedSchema>;
