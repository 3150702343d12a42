/** The groups of operations in the interface description. */
export const tags = [
  { name: "Extraction", description: "Turn a video into JSON, and read the result again." },
  { name: "Account", description: "Read what is left to spend." },
  { name: "Agents", description: "The same over the Model Context Protocol." },
  { name: "Interface", description: "This description, for programs." },
] as const;

/** The name of a group of operations. */
export type TagName = (typeof tags)[number]["name"];
