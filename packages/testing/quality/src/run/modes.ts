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
