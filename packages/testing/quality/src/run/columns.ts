/** A way to ask the service: headers of the request and settings of the workers. */
export type Column = {
  name: string;
  headers: Readonly<Record<string, string>>;
  settings: Readonly<Record<string, string>>;
  /** Whether it asks for evidence. */
  hasEvidence: boolean;
  /** The modes in which it runs unless others are named. Undefined means all. */
  modes: readonly string[] | undefined;
};

/** The columns of the report. The first is what a caller gets without any option. */
export const columns: readonly Column[] = [
  { name: "first pass", headers: {}, settings: {}, hasEvidence: false, modes: undefined },
  {
    name: "second look",
    headers: { "Second-Look": "times" },
    settings: {},
    hasEvidence: false,
    modes: ["honest", "edges", "minute"],
  },
  {
    name: "complete lists",
    headers: {},
    settings: { COMPLETE_LISTS: "on" },
    hasEvidence: false,
    modes: ["honest", "short-list"],
  },
  {
    name: "evidence",
    headers: { "Extract-Evidence": "fields" },
    settings: {},
    hasEvidence: true,
    modes: ["honest", "edges", "misread", "invent"],
  },
];
