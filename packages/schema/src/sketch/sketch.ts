/**
 * One place of the answer that a sketch describes (specification, "Schema input"). `isSpan` marks an array that the
 * sketch writes as exactly two timestamps: the start and the end of a span.
 */
export type SketchPlace =
  | { kind: "object"; fields: SketchField[] }
  | { kind: "array"; items: SketchPlace; isSpan?: true }
  | { kind: "string" | "number" | "integer" | "boolean" | "timestamp"; description?: string }
  | { kind: "enum"; options: string[]; description?: string };

/** A key of an object in a sketch, in the order written. `name` is without the optional mark. */
export type SketchField = { name: string; optional: boolean; place: SketchPlace };

/** A whole sketch. Its root is always an object. */
export type Sketch = Extract<SketchPlace, { kind: "object" }>;
