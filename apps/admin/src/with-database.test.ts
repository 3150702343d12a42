import { Problem } from "@video-to-json/contract";
import { SettingsError } from "@video-to-json/runtime/settings";
import { expect, test } from "vitest";
import { errorReport } from "./with-database.ts";

test("a problem and an invalid setting keep their message", () => {
  expect(errorReport(new Problem("invalid_request", { reason: "Use a new reference." }))).toBe("Use a new reference.");
  expect(errorReport(new SettingsError(["  A: is required"]))).toContain("A: is required");
});

test("the report of a failed query contains its cause and never its parameters", () => {
  const cause = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
  const report = errorReport(new Error("Failed query: insert … params: secret", { cause }));
  expect(report).toMatch(/^canceling statement due to statement timeout\./);
  expect(report).not.toContain("secret");
});

test("the report of a missing database and of missing tables says what to do", () => {
  expect(errorReport(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }))).toContain("correct DATABASE_URL");
  const cause = Object.assign(new Error("relation does not exist"), { code: "42P01" });
  expect(errorReport(new Error("Failed query", { cause }))).toContain("video-to-json-admin migrate");
});

test("the report of a missing permission says whose database it must be", () => {
  const cause = Object.assign(new Error("permission denied for schema public"), { code: "42501" });
  const report = errorReport(new Error("Failed query", { cause }));
  expect(report).toMatch(/^permission denied for schema public\. .*OWNER_DATABASE_URL.*migrate/);
});

test("an error without a message still gets a report", () => {
  expect(errorReport(new AggregateError([]))).toMatch(/try again/);
  expect(errorReport("text")).toMatch(/^text\./);
});
