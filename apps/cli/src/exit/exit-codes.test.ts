import { expect, test } from "vitest";
import { exitCodeOf, worstOf } from "./exit-codes.ts";

test("scripts can rely on the exit code of every error code", () => {
  expect(exitCodeOf).toMatchObject({
    unauthorised: 3,
    schema_missing: 4,
    schema_invalid: 4,
    video_missing: 4,
    video_unreachable: 4,
    media_unreadable: 4,
    video_too_long: 4,
    file_too_large: 4,
    out_of_minutes: 5,
    too_many_jobs: 7,
    rate_limited: 7,
    extraction_failed: 6,
    provider_unavailable: 7,
    invalid_request: 4,
    idempotency_mismatch: 4,
    not_found: 4,
    internal_error: 1,
  });
});

test("several videos end with the exit code of the worst error: first what stops every video", () => {
  const codes = [6, 4, 7, 1, 5, 3];
  expect(codes.map((_, index) => worstOf(codes.slice(0, index + 1)))).toEqual(codes);
});
