import { expect, test } from "vitest";
import { systemPrompt } from "../ladder/write-prompt.ts";
import { evidenceQuestion, readClaims } from "./evidence-question.ts";

const read = (fields: unknown, seen = { fromMs: 0, toMs: 90_500 }) =>
  Object.fromEntries(readClaims({ text: JSON.stringify({ fields }), about: { pointers: ["/a", "/b"], seen } }));
const span = (more: object) => ({ from: "00:10", to: "00:12", modality: "visual", ...more });
const read1 = (more: object) => read([{ id: 1, spans: [span(more)] }])["/a"]?.spans;

test("the question begins as the first one about the video does, so that the provider can reuse what it kept", () => {
  const { system, prompt } = evidenceQuestion({ leaves: [], instructions: null, durationMs: 1000 });
  expect(system).toBe(systemPrompt);
  expect(prompt).toContain("do not describe the video again");
});

test("the model's times become milliseconds, in order, and its quotes one line", () => {
  const spans = [span({ from: "01:20.5", to: "01:22", modality: "speech", quote: " a \n b " }), span({})];
  expect(read([{ id: 1, spans }])).toEqual({
    "/a": {
      isWholeVideo: false,
      spans: [
        { start_ms: 10_000, end_ms: 12_000, modality: "visual", quote: null },
        { start_ms: 80_500, end_ms: 82_000, modality: "speech", quote: "a b" },
      ],
    },
  });
});

test.each<[string, object, unknown]>([
  ["an end past the end of the video is moved to it", { to: "09:00" }, [expect.objectContaining({ end_ms: 90_500 })]],
  ["a moment lasts its second", { to: "00:10" }, [expect.objectContaining({ start_ms: 10_000, end_ms: 11_000 })]],
  [
    "a moment at the very end ends with the video",
    { from: "01:30", to: "01:30" },
    [expect.objectContaining({ end_ms: 90_500 })],
  ],
  ["hours are read", { from: "0:00:10" }, [expect.objectContaining({ start_ms: 10_000 })]],
  ["a start past the end is dropped", { from: "02:00", to: "02:10" }, []],
  ["a span upside down is dropped", { from: "00:20" }, []],
  ["a word instead of a time is dropped", { from: "soon" }, []],
  ["75 seconds are dropped", { from: "00:75", to: "02:00" }, []],
  ["a number is a number of seconds", { from: 10, to: "12.5s" }, [expect.objectContaining({ end_ms: 12_500 })]],
  ["a negative number is dropped", { from: -10 }, []],
  ["a longer modality is read", { modality: "text_on_screen" }, [expect.objectContaining({ modality: "text" })]],
  ["an unknown modality is dropped", { modality: "smell" }, []],
])("%s", (_name, more, spans) => {
  expect(read1(more)).toEqual(spans);
});

test("an entry is dropped if it names another field, or a field for the second time", () => {
  const entries = [
    7,
    null,
    { id: 3, spans: [] },
    { id: "x", spans: [] },
    { spans: [] },
    { id: 2, where: "whole_video" },
    { id: 2, spans: [span({})] },
  ];
  expect(read(entries)).toEqual({ "/b": { isWholeVideo: true, spans: [] } });
  expect(readClaims({ text: "no JSON", about: { pointers: ["/a"], seen: { fromMs: 0, toMs: 1 } } }).size).toBe(0);
  expect(read("text")).toEqual({});
});

test("a field may be named by its pointer, also without the slash", () => {
  const spans = [span({})];
  expect(
    Object.keys(
      read([
        { pointer: "b", spans },
        { id: "/a", spans },
        { pointer: "/c", spans },
      ]),
    ),
  ).toEqual(["/b", "/a"]);
});

test("quotes and spans without end are cut, and a lone surrogate does no harm", () => {
  const quote = read1({ quote: `\ud800${"é".repeat(9_000)}` })?.[0]?.quote ?? "";
  expect([quote.length, quote.isWellFormed()]).toEqual([300, true]);
  const spans = Array.from({ length: 500 }, (_, index) => span({ quote: String(index) }));
  expect(read([{ id: 1, spans }])["/a"]?.spans).toHaveLength(8);
});

test("the spans of a clip count from the start of the whole video, and end with the clip", () => {
  const spans = [span({}), span({ from: "00:28", to: "00:45" }), span({ from: "00:31", to: "00:32" })];
  const { "/a": claim } = read([{ id: 1, spans }], { fromMs: 60_000, toMs: 90_000 });
  expect(claim?.spans.map(({ start_ms, end_ms }) => [start_ms, end_ms])).toEqual([
    [70_000, 72_000],
    [88_000, 90_000],
  ]);
});
