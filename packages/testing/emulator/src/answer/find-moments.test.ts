import { expect, test } from "vitest";
import { type Evidence, type Mark, noEvidence } from "../evidence/evidence.ts";
import type { Palette } from "../evidence/palette.ts";
import { writeJson } from "./answer.ts";
import { type AskedField, fieldsToFind, findMoments } from "./find-moments.ts";

const palette = (red: number, green: number, blue: number): Palette => [{ rgb: [red, green, blue], share: 1 }];
const seen: Evidence = {
  ...noEvidence,
  durationMs: 9_000,
  scenes: [
    { startMs: 0, endMs: 4_000, palette: palette(255, 0, 0), brightness: 0.3, text: "Opening" },
    { startMs: 4_000, endMs: 9_000, palette: palette(0, 0, 255), brightness: 0.1, text: null },
  ],
  texts: [{ startMs: 0, endMs: 4_000, palette: palette(255, 0, 0), brightness: 0.3, text: "Opening night" }],
};

function find(fields: Record<string, unknown>, evidence = seen) {
  const asked: AskedField[] = Object.entries(fields).map(([pointer, value]) => ({ pointer, value }));
  const { fields: found } = JSON.parse(writeJson(findMoments(asked, evidence))) as { fields: { spans: object[] }[] };
  return found;
}

test("a text is found where it is on the screen, a time at its event, a colour at its scene, a summary in the whole video", () => {
  const found = find({
    "/title": "Opening night",
    "/cuts/0/at": "00:04",
    "/color": "blue",
    "/summary": "A red opening.",
  });
  expect(found).toEqual([
    {
      pointer: "/title",
      where: "moments",
      spans: [{ from: "00:00.0", to: "00:04.0", modality: "text", quote: "Opening night" }],
    },
    { pointer: "/cuts/0/at", where: "moments", spans: [{ from: "00:04.0", to: "00:07.0", modality: "visual" }] },
    { pointer: "/color", where: "moments", spans: [{ from: "00:04.0", to: "00:09.0", modality: "visual" }] },
    { pointer: "/summary", where: "whole_video", spans: [] },
  ]);
});

test("marks show when a time, and the values beside it, happen", () => {
  const mark = (startMs: number, endMs: number, via: string, attributes: Record<string, string>): Mark => ({
    ...{ label: "goal", startMs, endMs, via, attributes },
  });
  const marks = [mark(2_300, 3_000, "sight", { team: "home" }), mark(6_000, 8_000, "text", { team: "away" })];
  const found = find({ "/g/0/at": "00:06", "/g/0/team": "away", "/g/1/at": "00:01" }, { ...seen, marks });
  expect(found.map(({ spans }) => spans)).toEqual([
    [{ from: "00:06.0", to: "00:08.0", modality: "text" }],
    [{ from: "00:06.0", to: "00:08.0", modality: "text", quote: "away" }],
    [],
  ]);
});

test("only a question about the places of fields gets such an answer", () => {
  const entry = { type: "object", properties: { pointer: { type: "string" }, spans: { type: "array" } } };
  const schema = { type: "object", properties: { fields: { type: "array", items: entry } } };
  expect(fieldsToFind(schema, 'The fields:\n{"pointer":"/a","value":1}\n{"pointer":2}')).toEqual([
    { pointer: "/a", value: 1 },
  ]);
  expect(fieldsToFind({ type: "object", properties: { fields: { type: "array" } } }, "")).toBeUndefined();
});
