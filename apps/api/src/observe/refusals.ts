import type { ProblemCode } from "@video-to-json/contract";
import { type Db, type RefusedRequests, recordRefusedRequests } from "@video-to-json/database";
import type { Logger } from "@video-to-json/runtime/telemetry";
import type { RequestHandler } from "express";
import { contextOf } from "../http/context.ts";

/** The codes of requests that a caller finds nowhere else, because no job has them. */
const codes: ReadonlySet<string> = new Set<ProblemCode>([
  "unauthorised",
  "schema_missing",
  "schema_invalid",
  "video_missing",
  "file_too_large",
  "out_of_minutes",
  "too_many_jobs",
  "rate_limited",
  "invalid_request",
  "idempotency_mismatch",
]);

const knownPaths: ReadonlySet<string> = new Set(["/v1/extract", "/v1/mcp", "/v1/jobs", "/v1/me"]);

/** Enough for the refusals of two seconds. A flood with many unknown keys pushes out no caller. */
const maxSenders = { callers: 500, keys: 200 };
const everyMs = 2000;

/** Counts refused requests in memory, and writes the counts every two seconds. */
export type Refusals = {
  readonly handler: RequestHandler;
  /** Writes what was counted. */
  flush(): Promise<void>;
  /** Ends the writing, after the last write. */
  close(): Promise<void>;
};

/**
 * Records which requests of a known key or session were refused before a job existed, without any contents
 * (docs/decisions/0011). Equal refusals of a sender are one row a minute, so a flood costs one write. No request waits.
 */
export function openRefusals({ db, log }: { readonly db: Db; readonly log: Pick<Logger, "warn"> }): Refusals {
  let counted = { callers: new Map<string, RefusedRequests>(), keys: new Map<string, RefusedRequests>() };
  let last: Promise<void> = Promise.resolve();

  const handler: RequestHandler = (request, response, next) => {
    response.once("close", () => {
      const { code, caller, refusedKey, requestId, jobId } = contextOf(response);
      if (code === undefined || !codes.has(code) || jobId !== undefined || response.get("Job-Id") !== undefined) return;
      // Before a route is found, only a known path is named: another one is a text of the caller.
      const asked = request.originalUrl.split("?", 1)[0] ?? "";
      const path = (request.route as { path?: string } | undefined)?.path ?? (knownPaths.has(asked) ? asked : "/v1");
      // A form of a page shows its refusal at once.
      if (path.startsWith("/dashboard") && !path.endsWith("/extract")) return;
      const route = `${request.method} ${path.replace(/:(\w+)/g, "{$1}")}`;
      const key = caller && "keyId" in caller ? caller.keyId : null;
      const by = caller ? { accountId: caller.accountId, keyId: key } : refusedKey && { keySha256: refusedKey };
      if (!by) return;
      const kind = "keySha256" in by ? "keys" : "callers";
      const sender = "keySha256" in by ? by.keySha256.toString("hex") : `${by.accountId} ${by.keyId}`;
      const name = `${sender} ${code} ${route}`;
      const count = (counted[kind].get(name)?.count ?? 0) + 1;
      if (count === 1 && counted[kind].size >= maxSenders[kind]) return;
      counted[kind].set(name, { by, code: code as ProblemCode, route, count, requestId });
    });
    next();
  };

  async function write(): Promise<void> {
    const requests = [...counted.callers.values(), ...counted.keys.values()];
    if (requests.length === 0) return;
    counted = { callers: new Map(), keys: new Map() };
    await recordRefusedRequests(db, requests).catch((error) =>
      log.warn({ err: error }, "refused requests were not recorded"),
    );
  }
  const flush = () => {
    last = last.then(write);
    return last;
  };
  const timer = setInterval(flush, everyMs).unref();
  return {
    handler,
    flush,
    close() {
      clearInterval(timer);
      return flush();
    },
  };
}
