import type { KeyRecord } from "@video-to-json/contract/dashboard/keys";
import { expect, test } from "vitest";
import { endOfDay, keyState } from "./key-state.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const key: KeyRecord = {
  id: "9c1d0000-0000-4000-8000-000000000000",
  name: "server",
  display: "v2j_live_4fQx2a",
  scope: "extract",
  monthly_limit_minutes: null,
  ends_at: null,
  created_at: "2026-11-01T00:00:00Z",
  state: "live",
  last_used_at: null,
  revoked_at: null,
  month_seconds: 3000,
};

test.each<[string, Partial<KeyRecord>, string]>([
  ["without limit and end", {}, "live"],
  ["below its limit by a whole job", { monthly_limit_minutes: 51 }, "live"],
  ["with less than a job left", { monthly_limit_minutes: 50 }, "limited"],
  ["at its end", { ends_at: "2026-11-22T12:00:00Z" }, "ended"],
  ["before its end", { ends_at: "2026-11-22T12:00:01Z" }, "live"],
  [
    "revoked after its end",
    { ends_at: "2026-11-01T00:00:00Z", revoked_at: "2026-11-02T00:00:00Z", state: "revoked" },
    "revoked",
  ],
])("a key %s is %s", (_, change, state) => {
  expect(keyState({ ...key, ...change }, now, 60)).toBe(state);
});

test("a key with an end date works through that day", () => {
  expect(endOfDay("2026-12-31")).toBe("2027-01-01T00:00:00.000Z");
});
