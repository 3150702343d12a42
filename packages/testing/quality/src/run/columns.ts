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
  column("first pass", {}),
  column("second look", { headers: { "Second-Look": "times" }, modes: ["honest", "edges", "minute"] }),
  column("complete lists", { settings: { COMPLETE_LISTS: "on" }, modes: ["honest", "short-list"] }),
  column("evidence", {
    headers: { "Extract-Evidence": "fields" },
    settings: {},
    hasEvidence: true,
    modes: ["honest", "edges", "misread", "invent"],
  }),
];

function column(name: string, more: Partial<Column>): Column {
  return { name, headers: {}, settings: {}, hasEvidence: false, modes: undefined, ...more };
}

/** The ways in which the emulated model errs: settings for its `PUT /control/errors`. */
export const modes: Readonly<Record<string, readonly object[]>> = {
  honest: [],
  edges: [{ kind: "edges", seed: 11, probability: 0.5, minMs: 1000, maxMs: 10_000 }],
  minute: [{ kind: "minute", seed: 12, probability: 0.3 }],
  "short-list": [{ kind: "short-list", items: 10 }],
  repeat: [{ kind: "repeat", seed: 13, probability: 0.3 }],
  misread: [{ kind: "misread", seed: 15, probability: 0.3 }],
  invent: [{ kind: "invent", seed: 14, probability: 0.4 }],
};

/** The mode of a real provider, whose errors cannot be set. */
export const foreignMode = "as it is";
