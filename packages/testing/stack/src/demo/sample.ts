import { isDeepStrictEqual } from "node:util";
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
  const silence = truth.scenes.filter(({ sound }) => sound === "silence");
  const longest = truth.scenes.reduce((a, b) => (b.end - b.start > a.end - a.start ? b : a));
  const title = truth.scenes.find(({ text }) => text)?.text;
  const expected = {
    cuts: truth.cuts.map((at) => ({ at: clock(at) })),
    silent_spans: silence.map(({ start, end }) => ({ start: clock(start), end: clock(end) })),
    main_color: longest.color,
    ...(title && canReadText && { title_card: title }),
  };
  const answer = (data ?? {}) as Record<string, unknown>;
  return Object.entries(expected)
    .filter(([name, value]) => !isDeepStrictEqual(answer[name], value))
    .map(([name, value]) => `${name} is ${JSON.stringify(answer[name])}, but the video has ${JSON.stringify(value)}`);
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, "0")).join(":");
}
