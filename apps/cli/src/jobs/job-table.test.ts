import type { JobSummary } from "video-to-json";
import { expect, test } from "vitest";
import { jobTable } from "./jobs.ts";

const succeeded = {
  id: "a".repeat(36),
  status: "succeeded",
  created_at: "2026-01-01T00:00:00Z",
  video: { duration_seconds: 90.4 },
  billed_seconds: 90,
  model: "m",
  error: null,
} as JobSummary;

const at = (time: string) => new Date(`2026-01-0${time}Z`);

test("jobs are aligned in columns, and a failed job shows its code", () => {
  const failed = { code: "video_too_long" } as const;
  const running: JobSummary = { ...succeeded, status: "running", video: null, billed_seconds: 0, model: null };
  expect(
    jobTable(
      [running, { ...succeeded, status: "failed", billed_seconds: 0, error: failed }, succeeded],
      at("1T00:00:05"),
    ),
  ).toEqual([
    "JOB                                   STATUS                   AGE  VIDEO  BILLED  MODEL",
    `${succeeded.id}  running                  5 s  -      -       -`,
    `${succeeded.id}  failed (video_too_long)  5 s  1:30   -       m`,
    `${succeeded.id}  succeeded                5 s  1:30   90 s    m`,
  ]);
});

test("a table is never wider than its terminal, cuts what matters least first, and never cuts an id", () => {
  const failed = { ...succeeded, status: "failed", error: { code: "provider_unavailable" } } as const;
  const jobs = [failed, { ...succeeded, model: "gemini-9.9-flash-preview" }];
  const table = (columns: number) => jobTable(jobs, at("1T00:00:05"), columns);
  for (let columns = 36; columns < 130; columns++) {
    for (const line of table(columns)) expect(line.length).toBeLessThanOrEqual(columns);
  }
  expect(table(100)).toEqual([
    "JOB                                   STATUS                         AGE  VIDEO  BILLED  MODEL",
    `${succeeded.id}  failed (provider_unavailable)  5 s  1:30   90 s    m`,
    `${succeeded.id}  succeeded                      5 s  1:30   90 s    gemini-9.9…`,
  ]);
  expect(table(80)).toEqual([
    "JOB                                   STATUS                  AGE  VIDEO  BILLED",
    `${succeeded.id}  failed (provider_unav…  5 s  1:30   90 s`,
    `${succeeded.id}  succeeded               5 s  1:30   90 s`,
  ]);
  expect(table(45)).toEqual([
    "JOB                                   STATUS",
    `${succeeded.id}  failed…`,
    `${succeeded.id}  succee…`,
  ]);
  expect(table(20)).toEqual(["JOB", succeeded.id, succeeded.id]);
});

test("an age has a fitting unit and is never negative", () => {
  const ages = ["1T00:00:59", "1T00:59:59", "2T23:00:00", "4T12:00:00"].map(
    (time) => jobTable([succeeded], at(time))[1],
  );
  expect(ages.map((line) => line?.match(/succeeded {2}(.+?) {2}/)?.[1])).toEqual(["59 s", "59 min", "47 h", "3 days"]);
  expect(jobTable([{ ...succeeded, created_at: "2026-01-01T00:00:09Z" }], at("1T00:00:00"))[1]).toContain("  0 s  ");
});

test("control characters of a record do not reach the terminal", () => {
  expect(jobTable([{ ...succeeded, model: "m\u001b[2J\u009b" }], at("1T00:00:00")).join("")).not.toMatch(/\p{Cc}/u);
});
