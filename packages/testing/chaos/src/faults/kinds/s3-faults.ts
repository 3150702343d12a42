import type { Fault } from "../fault.ts";
import { freeze, pause, processOf } from "./parts.ts";

const whole = { hits: "storage", measure: "work", goalMs: 30_000, needs: "s3" } as const;

const overloaded = `HTTP/1.1 503 Slow Down\r
Content-Type: application/xml\r
Connection: close\r
\r
<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>`;

/** Faults of the server of the bucket. */
export const s3Faults: readonly Fault[] = [
  {
    ...whole,
    kind: "S3 killed",
    lastsMs: [0, 8000],
    async commit(place, choice) {
      await place.s3?.kill();
      await pause(place, choice);
      await place.s3?.restart();
      return [];
    },
  },
  {
    ...whole,
    kind: "S3 frozen",
    lastsMs: [9000, 13_000],
    async commit(place, choice) {
      await freeze(processOf(place.s3?.process), () => pause(place, choice));
      return [];
    },
  },
  {
    ...whole,
    kind: "S3 overloaded",
    lastsMs: [8000, 13_000],
    async commit(place, choice) {
      const ends = place.network.links.filter(({ to }) => to === "storage").map((link) => link.answerWith(overloaded));
      try {
        await pause(place, choice);
      } finally {
        for (const end of ends) end();
      }
      return [];
    },
  },
];
