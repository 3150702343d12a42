/**
 * A field of an item or of the whole answer that is not a time: its key, its type and its description in the schema.
 */
export type ValueField = {
  key: string;
  type: "string" | "integer" | "number" | "boolean" | readonly string[];
  about: string;
  optional?: boolean;
};

/** A list of events of one label: the keys of their times and their other fields. */
export type ListSpec = {
  key: string;
  label: string;
  /** The keys of the times. An item without an end is a point in time. */
  startKey: string;
  endKey: string | null;
  about: string;
  fields: readonly ValueField[];
};

/** A time outside of lists: the start or the end of the first or the last event of a label. */
export type MomentSpec = { key: string; label: string; nth: "first" | "last"; edge: "start" | "end"; about: string };

/** The contents of a schema. A label without an event never happens: its list is empty and its times are left out. */
export type Spec = {
  values: readonly ValueField[];
  moments: readonly MomentSpec[];
  lists: readonly ListSpec[];
};
