import { openShiftMemory } from "@video-to-json/analysis";
import { defaultLimits } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { checksOfJob } from "./checks-of-job.ts";

const of = (setting: boolean, completesLists: boolean | null, shiftsOf = openShiftMemory()) => {
  const deps = {
    provider: { capabilities: { maxClipBytes: 1, media: {} } },
    limits: { ...defaultLimits, evidenceSeconds: 1 },
    checks: { secondLook: "off", completesLists: setting, shiftsOf },
  };
  const job = { id: "job", accountId: "account", secondLook: null, completesLists, wantsEvidence: false };
  const work = { schema: { schemaText: "{}" }, part: null, video: { durationMs: 200_000, audioCodec: null } };
  return checksOfJob(deps as never, job as never, work as never) !== undefined;
};

test("a request turns the completion of lists on and off, and without its word the setting decides", () => {
  expect([of(false, true), of(true, false), of(true, null), of(false, null)]).toEqual([true, false, true, false]);
});

test("the jobs of a worker share a memory by account and schema", () => {
  const asked: object[] = [];
  const shiftsOf: typeof openShiftMemory = () => (job) => {
    asked.push(job);
    return { earlier: [], add() {} };
  };
  of(true, null, shiftsOf());
  expect(asked).toEqual([{ accountId: "account", schemaText: "{}" }]);
});
