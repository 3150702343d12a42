import { writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * How much a clock is wrong, in milliseconds: a day and two hours, so that no right time of a run is also a wrong one.
 */
export const wrongByMs = 26 * 3_600_000;

/** The clocks of the processes of a run. */
export type Clocks = {
  /** The settings with which an API or worker follows its clock. */
  settingsOf(part: { name: string }): Record<string, string>;
  /** Sets the clock of a process wrong by so many milliseconds, within a quarter of a second. 0 corrects it. */
  shift(name: string, ms: number): void;
};

/** Opens the clocks, whose files are in `dataDir`. `nodeOptions` are further options that the processes need. */
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
