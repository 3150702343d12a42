import given from "./columns.json" with { type: "json" };

/** A way to ask the service: headers of the request and settings of the workers. */
export type Column = {
  name: string;
  headers?: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
  /** Whether it asks for evidence. */
  hasEvidence?: boolean;
  /** The modes in which it runs unless others are named; all by default. */
  modes?: readonly string[] | undefined;
};

/** The columns of the report. The first is what a caller gets without any option. */
export const columns = given.columns as readonly Column[];

/** The ways in which the emulated model errs: settings for its `PUT /control/errors`. */
export const modes: Readonly<Record<string, readonly object[]>> = given.modes;

/** The mode of a real provider, whose errors cannot be set. */
export const foreignMode = "as it is";

/** The mode in which the emulator gives the released answers of a suite as its first pass. */
export const replayMode = "released answers";
