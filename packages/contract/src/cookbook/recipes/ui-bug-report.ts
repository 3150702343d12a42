import type { Recipe } from "../recipe.ts";

/** A recording of a screen as a bug report. */
export const uiBugReport: Recipe = {
  id: "ui-bug-report",
  title: "A bug report from a recording of a screen",
  about: "What a tester recorded as a report that a developer can follow: steps, expectation, fault, error text.",
  schema: `{
  "title": "string — the fault in at most ten words",
  "app_version": "string? — if it can be seen",
  "steps": [
    {"at": "timestamp", "action": "string — what the user does, such as: clicks “Save”"}
  ],
  "expected": "string — what should happen",
  "actual": "string — what happens instead",
  "fault_seen": {"at": "timestamp — when the fault is visible for the first time"},
  "error_text": "string? — word for word",
  "severity": "blocker|major|minor|cosmetic"
}`,
  instructions:
    "A recording of our web shop in a browser. Quote the labels of buttons and fields exactly. If the tester speaks, use what is said as the expectation.",
  answer: `{
  "title": "Saving an address with an umlaut fails",
  "app_version": "4.12.0",
  "steps": [
    {"at": "00:06", "action": "Opens “My account”, then “Addresses”."},
    {"at": "00:15", "action": "Types “Müllerstraße 5” into “Street” and clicks “Save”."}
  ],
  "expected": "The address is saved and shown in the list.",
  "actual": "A red bar appears and the form stays open.",
  "fault_seen": {"at": "00:17"},
  "error_text": "Street contains characters that are not allowed.",
  "severity": "major"
}`,
  pitfalls: [
    "Without sound the expectation is a guess. Write it into the instructions if you know it.",
    "Small text is unreadable in a recording that was scaled down. Record in the size of the screen.",
    "Recordings show names and addresses of real people. Use test data.",
  ],
};
