import { makeVideo, type VideoTruth } from "@video-to-json/testing/running";

/** The sketch of the demo (docs/specification.md, "Schema input"). */
export const sketch = {
  title_card: "string? -- the text on screen",
  main_color: "red|green|blue -- the colour that fills the picture longest",
  cuts: [{ at: "timestamp -- a hard cut to another scene" }],
  silent_spans: [{ start: "timestamp", end: "timestamp" }],
};

/** Makes the video of the demo: three coloured scenes with hard cuts, a title, a tone and a silence. */
export function makeSample(path: string): Promise<VideoTruth> {
  return makeVideo(
    {
      width: 640,
      height: 360,
      scenes: [
        { seconds: 5, color: "red", text: "HELLO WORLD", sound: "tone" },
        { seconds: 3, color: "green", sound: "silence", moving: true },
        { seconds: 4, color: "blue", sound: "tone", moving: true },
      ],
    },
    path,
  );
}

/** Returns the errors of an answer about the video, one line for each. */
export function findErrors(data: unknown, truth: VideoTruth, canReadText: boolean): string[] {
  const answer = data as Partial<Answer> | null;
  const silence = truth.scenes.filter(({ sound }) => sound === "silence");
  const longest = truth.scenes.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
  const title = truth.scenes.find(({ text }) => text)?.text;
  const expectations: [string, unknown, unknown][] = [
    ["cuts", truth.cuts.map((at) => ({ at: clock(at) })), answer?.cuts],
    ["silent_spans", silence.map(({ start, end }) => ({ start: clock(start), end: clock(end) })), answer?.silent_spans],
    ["main_color", longest.color, answer?.main_color],
  ];
  if (title && canReadText) expectations.push(["title_card", title, answer?.title_card]);
  return expectations
    .filter(([, expected, answered]) => JSON.stringify(expected) !== JSON.stringify(answered))
    .map(
      ([name, expected, answered]) =>
        `${name} is ${JSON.stringify(answered)}, but the video has ${JSON.stringify(expected)}`,
    );
}

type Answer = { title_card: string; main_color: string; cuts: { at: string }[]; silent_spans: object[] };

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, "0")).join(":");
}
