import { expect, test } from "vitest";
import type { Call } from "../../load/call.ts";
import { sampleEvidence } from "../evidence.fixture.ts";
import type { EvidenceReading } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";
import { auditEvidence } from "./audit-evidence.ts";

const { evidence, call, job: plain } = sampleEvidence();
const asking: Call[] = [{ ...call, extras: ["extract-evidence"] }];
const job: JobRecord = { ...plain, dataText: '{"a/b":[{"c~":1},{}],"d":null}', evidenceText: textWith() };

/** Returns the evidence of the job's answer, with changes. */
function textWith(change: object = {}): string {
  const field = { spans: [{ start_ms: 0, end_ms: 1200 }] };
  const fields = { "/a~1b/0/c~0": field, "/a~1b/1": field };
  return JSON.stringify({
    job_id: plain.id,
    duration_ms: 1200,
    fields,
    whole_video: ["/d"],
    absent: ["/e"],
    ...change,
  });
}

function saidOf(change: Partial<JobRecord> = {}, readings: Partial<EvidenceReading>[] = [], calls = asking): string {
  const read = { jobId: job.id, by: "owner", status: 200, text: job.evidenceText ?? "", isStored: true } as const;
  const evidenceReadings = readings.map((reading) => ({ ...read, ...reading }));
  const records = { ...evidence.records, jobs: [{ ...job, ...change }] };
  return auditEvidence({ ...evidence, calls, records, evidenceReadings })
    .map(({ what }) => what)
    .join("\n");
}

test("evidence with each value once, read by its account only, has no violation", () => {
  expect(saidOf({}, [{}, { by: "stranger", status: 404 }])).toBe("");
  expect(saidOf({ evidenceText: null }, [{ status: 404, text: "" }], [call])).toBe("");
  expect(saidOf({ evidenceText: "null", status: "failed", dataText: null }, [{ status: 404 }])).toBe("");
});

test("a value without evidence, one with it twice, and evidence of another video or job are violations", () => {
  expect(saidOf({ evidenceText: textWith({ whole_video: [] }) })).toMatch(/for an answer with \[.*\/d/);
  expect(saidOf({ evidenceText: textWith({ whole_video: ["/d", "/d"] }) })).toMatch(/for an answer with/);
  expect(saidOf({ evidenceText: textWith({ whole_video: ["/d", "/x"] }) })).toMatch(/for an answer with/);
  expect(saidOf({ evidenceText: textWith({ absent: ["/d"] }) })).toMatch(/has \/d, called absent/);
  expect(saidOf({ evidenceText: textWith({ duration_ms: 1100 }) })).toMatch(/1100 ms[\s\S]*outside of its video/);
  expect(saidOf({ evidenceText: textWith({ job_id: "x" }) })).toMatch(/the evidence of job x/);
});

test("evidence that is missing, unasked, of a failed job or of a deleted one is a violation", () => {
  expect(saidOf({ evidenceText: "null" })).toMatch(/succeeded without the evidence/);
  expect(saidOf({ evidenceText: null })).toMatch(/has no place for the evidence/);
  expect(saidOf({}, [], [call])).toMatch(/did not ask for/);
  expect(saidOf({ status: "failed" })).toMatch(/is failed, and has evidence/);
  expect(saidOf({ isErased: true })).toMatch(/is deleted, and its evidence is still stored/);
});

test("evidence that its account cannot read, that another one can, or that is read after its deletion is a violation", () => {
  expect(saidOf({}, [{ status: 500 }])).toMatch(/read by its account: 500/);
  expect(saidOf({}, [{ text: "{}" }])).toMatch(/not what is stored/);
  expect(saidOf({}, [{ by: "stranger" }])).toMatch(/read by another account: 200, not 404/);
  expect(saidOf({}, [{ by: "owner after deletion", isStored: false }])).toMatch(/200, not 404/);
  expect(saidOf({}, [{ by: "owner after deletion", status: 404 }])).toMatch(/it is still stored/);
});
