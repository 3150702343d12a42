import { createHash } from "node:crypto";
import type { Call } from "../../load/call.ts";
import type { Evidence, Violation } from "../evidence.ts";
import type { JobRecord } from "../records/read-jobs.ts";

/** Checks that each job, and each Idempotency-Key, is stored with the request that a client sent. */
export function auditRequests({ calls, records, filesUrl }: Evidence): Violation[] {
  const callsByMarker = new Map(calls.map((call) => [call.marker, call]));
  const hashes = new Map(calls.map((call) => [call.marker, requestHashOf(call, filesUrl)]));
  const markers = new Map(records.jobs.map(({ id, marker }) => [id, marker]));
  const faults = [
    ...records.jobs.flatMap((job) => {
      const call = callsByMarker.get(job.marker);
      if (!call) return [`job ${job.id} has the instructions "${job.marker}", which no client sent`];
      return requestFaults(job, call, hashes.get(job.marker) ?? "").map((what) => `job ${job.id} ${what}`);
    }),
    ...records.keys.flatMap(({ key, jobId, requestHash }) => {
      const hash = hashes.get(markers.get(jobId) ?? "");
      return hash === undefined || hash === requestHash
        ? []
        : [`key "${key}" is stored with another request hash than its request has`];
    }),
  ];
  return faults.map((what) => ({ rule: "jobs are true", what }));
}

function requestFaults({ schemaText, hasUpload, requestHash }: JobRecord, call: Call, hash: string): string[] {
  return [
    ...(schemaText === call.shape.schemaText ? [] : [`has another schema than "${call.marker}" sent`]),
    ...(hasUpload === (call.entryPoint === "upload") ? [] : [`has a video from elsewhere than "${call.marker}" sent`]),
    ...(requestHash === hash ? [] : [`has another request hash than "${call.marker}"`]),
  ];
}

/** Computes the hash of a request as docs/decisions/0001 defines it, independently of the product's code. */
function requestHashOf({ shape, marker, entryPoint, video, urlPath, extras = [] }: Call, filesUrl: string): string {
  const source = entryPoint === "upload" ? ["upload", sha256(video.bytes)] : ["url", `${filesUrl}${urlPath}`];
  const options = [
    ...(extras.includes("extract-evidence") ? ["evidence"] : []),
    ...(extras.includes("second-look") ? ["second-look times"] : []),
  ];
  return sha256(JSON.stringify([shape.compactText ?? shape.schemaText, marker, ...source, ...options]));
}

function sha256(data: string | Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
