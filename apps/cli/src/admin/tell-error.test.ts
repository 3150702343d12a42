import { Problem } from "@video-to-json/contract";
import { SettingsError } from "@video-to-json/settings";
import { expect, test } from "vitest";
import { tellError } from "./tell-error.ts";

test("a problem and a fault in the settings are told as they are", () => {
  expect(tellError(new Problem("not_found", "No such account. Check it."))).toBe("No such account. Check it.");
  expect(tellError(new SettingsError(["  A: is required"]))).toContain("A: is required");
});

test("of a failed query only its cause is told, never the query's parameters", () => {
  const cause = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
  const told = tellError(new Error("Failed query: insert … params: secret", { cause }));
  expect(told).toMatch(/^canceling statement due to statement timeout\./);
  expect(told).not.toContain("secret");
});

test("a database that is down, and one without tables, say what to do", () => {
  expect(tellError(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }))).toContain("correct DATABASE_URL");
  const cause = Object.assign(new Error("relation does not exist"), { code: "42P01" });
  expect(tellError(new Error("Failed query", { cause }))).toContain("admin migrate");
});

test("an error that says nothing still gives a line", () => {
  expect(tellError(new AggregateError([]))).toMatch(/try again/);
  expect(tellError("text")).toMatch(/^text\./);
});
