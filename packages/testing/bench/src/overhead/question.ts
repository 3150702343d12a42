/** The question that both ask about a clip, as a JSON Schema. */
export const schema = {
  type: "object",
  properties: {
    summary: { type: "string" },
    main_color: { type: "string" },
    has_sound: { type: "boolean" },
    scenes: {
      type: "array",
      maxItems: 5,
      items: {
        type: "object",
        properties: { start: { type: "number" }, description: { type: "string" } },
        required: ["start", "description"],
      },
    },
  },
  required: ["summary", "main_color", "has_sound", "scenes"],
} as const;

/** The model that the service asks first, by default. */
export const model = "gemini-3.5-flash-lite";
