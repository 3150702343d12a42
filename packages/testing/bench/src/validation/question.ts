const kinds = ["string", "number", "option"] as const;
const members = Array.from({ length: 14 }, (_, index) => ({
  key: `member_${index}`,
  kind: kinds[index % 3] ?? "string",
}));

/** A JSON Schema of about 3 KB: a list of scenes with fourteen members each. */
export const schemaText = JSON.stringify({
  type: "object",
  properties: {
    title: { type: "string", description: "the title of the video, as the picture shows it" },
    scenes: {
      type: "array",
      items: {
        type: "object",
        properties: Object.fromEntries(members.map(({ key, kind }) => [key, schemaOf(kind)])),
        required: members.slice(0, 2).map(({ key }) => key),
        additionalProperties: false,
      },
    },
  },
  required: ["title", "scenes"],
});

/** An answer of about 10 KB that conforms to it. */
export const answerText = JSON.stringify({
  title: "A day in the shop",
  scenes: Array.from({ length: 28 }, (_, scene) =>
    Object.fromEntries(members.map(({ key, kind }) => [key, answerOf(kind, scene)])),
  ),
});

function schemaOf(kind: (typeof kinds)[number]) {
  const description = "what the picture shows at this moment of the video, as far as anybody can see it there";
  if (kind === "string") return { type: "string", minLength: 1, maxLength: 200, description };
  if (kind === "number") return { type: "number", minimum: 0, maximum: 1000, description };
  return { enum: ["one person", "several people", "an animal", "nothing that moves", "something else"], description };
}

function answerOf(kind: (typeof kinds)[number], scene: number): string | number {
  if (kind === "string") return `a customer opens door ${scene}`;
  return kind === "number" ? scene + 0.5 : "several people";
}
