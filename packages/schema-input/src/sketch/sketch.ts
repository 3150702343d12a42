/** What a sketch asks for: one place of the wanted answer (specification, "Schema input"). */
export type SketchPlace =
  | { kind: "object"; fields: SketchField[] }
  | { kind: "array"; items: SketchPlace }
  | { kind: "string" | "number" | "integer" | "boolean" | "timestamp"; description?: string }
  | { kind: "enum"; options: string[]; description?: string };

/** One key of an object in a sketch, in the order written. `name` has no optional mark. */
export type SketchField = { name: string; optional: boolean; place: SketchPlace };

/** A whole sketch: its root is always an object. */
export type Sketch = Extract<SketchPlace, { kind: "object" }>;
