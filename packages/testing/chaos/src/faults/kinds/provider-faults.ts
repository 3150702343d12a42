import { emulatorControl } from "@video-to-json/testing/running";
import type { Fault } from "../fault.ts";
import { type EmulatorFaults, emulatorFaults } from "./emulator-faults.ts";
import { freeze, pause, processOf } from "./parts.ts";

function misbehaves(kind: EmulatorFaults): Fault {
  return {
    kind,
    hits: "provider",
    lastsMs: [0, 0],
    needs: "emulator",
    async commit({ stack }, { seed }) {
      if (stack.emulatorUrl) await emulatorControl(stack.emulatorUrl).setFaults(emulatorFaults(kind, seed));
      return [];
    },
  };
}

function frozen(kind: string, lastsMs: Fault["lastsMs"]): Fault {
  return {
    kind,
    hits: "provider",
    lastsMs,
    needs: "emulator",
    async commit(place, choice) {
      const emulator = place.stack.processes.find(({ name }) => name === "emulator");
      await freeze(processOf(emulator), () => pause(place, choice));
      return [];
    },
  };
}

/** Faults of the provider. The retries of a job overcome them, or it fails without charge. */
export const providerFaults: readonly Fault[] = [
  misbehaves("provider fails"),
  misbehaves("provider hangs"),
  misbehaves("provider lies"),
  frozen("provider frozen", [9000, 13_000]),
  frozen("provider away", [35_000, 45_000]),
];
