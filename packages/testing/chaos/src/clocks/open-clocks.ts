import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** By how much a clock is wrong, in milliseconds: a day, so that no moment of a run is a wrong one too, and two hours. */
export const wrongByMs = 26 * 3_600_000;

/** The clocks of the processes of a run. */
export type Clocks = {
  /** The settings with which an API or worker follows its clock. */
  settingsOf(part: { name: string }): Record<string, string>;
  /** Sets the clock of a process wrong by these milliseconds, within a quarter of a second. 0 sets it right. */
  shift(name: string, ms: number): void;
};

/** Opens the clocks, whose files are in `dataDir`. `nodeOptions` are the options that the processes need besides. */
export function openClocks(dataDir: string, nodeOptions: string): Clocks {
  const fileOf = (name: string) => join(dataDir, `clock-${name}`);
  return {
    settingsOf: ({ name }) => ({
      NODE_OPTIONS: `${nodeOptions} --import ${import.meta.resolve("./shift-clock.ts")}`.trim(),
      CHAOS_CLOCK_FILE: fileOf(name),
    }),
    shift: (name, ms) => writeFileSync(fileOf(name), String(ms)),
  };
}
