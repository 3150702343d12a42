import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A bare script that runs in a process of its own. */
export type BareScript = {
  readonly pid: number;
  /** Runs jobs, `inFlight` at once. Returns how long each took, in milliseconds. Throws when one fails. */
  run(jobs: number, inFlight: number): Promise<number[]>;
  stop(): void;
};

type Options = {
  providerUrl: string;
  /** The command of ffprobe. */
  ffprobe: string;
  /** The path of the clip. */
  clip: string;
};

type Reply = { times: number[] } | { error: string };

/** Starts a bare script. It ends when this process ends. */
export function startBareScript({ providerUrl, ffprobe, clip }: Options): BareScript {
  const child = fork(join(import.meta.dirname, "bare-script.ts"), [providerUrl, ffprobe, clip], { execArgv: [] });
  const { pid } = child;
  if (pid === undefined) throw new Error("The bare script cannot be started.");
  return {
    pid,
    async run(jobs, inFlight) {
      const ended = once(child, "exit").then(() => Promise.reject(new Error("The bare script has ended.")));
      const replied = once(child, "message");
      child.send({ jobs, inFlight });
      const [reply] = (await Promise.race([replied, ended])) as [Reply];
      if ("error" in reply) throw new Error(`The bare script failed: ${reply.error}`);
      return reply.times;
    },
    stop: () => child.disconnect(),
  };
}
