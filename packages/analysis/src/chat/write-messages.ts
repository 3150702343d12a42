import { timestampText } from "@video-to-json/contract";
import type { ClipVideo, Picture, Question, SpokenWord } from "../analysis-provider.ts";
import { spokenLines } from "../transcription/transcription.ts";

/** How the time of a picture is written: `00:07`, or `<7.0 seconds>`, with which some models were trained. */
export type TimeText = "MM:SS" | "seconds";

/** What a question holds: pictures, or the whole video in the part of this type. */
export type VideoForm = "pictures" | "video_url" | "input_video";

/** What the model looks at, as parts of a message. `pictures`: how many it has, `words`: the characters of what is said. */
export type Shown = {
  readonly pictures: number;
  readonly words: number;
  /** The price of a picture, where one that is sent alone costs 1. In a video it is less: models merge two neighbours into one. */
  readonly share: number;
  readonly parts: readonly object[];
  /** Shows fewer pictures, evenly spread; undefined if that is impossible. */
  thinner(count: number, signal: AbortSignal): Promise<Shown> | undefined;
};

const text = (words: string) => ({ type: "text", text: words });
const silent = "The sound is not given, so nothing can be heard.";

/** The words of a recogniser; null if nobody listened. `maxCharacters`: the room for them in a question. */
export type Speech = { words: readonly SpokenWord[] | null; maxCharacters: number };

/** Returns what stands before and after the pictures: the words about them, and what is said between two times. */
function aroundPictures(
  about: string,
  { words, maxCharacters }: Speech,
  timeText: TimeText,
  clip: ClipVideo | undefined,
) {
  if (words === null) return { before: text(`${about} ${silent}`), after: [], length: 0 };
  const { fromMs = 0, durationMs = Number.POSITIVE_INFINITY } = clip ?? {};
  const heard = words.filter(({ startMs, endMs }) => startMs < fromMs + durationMs && endMs > fromMs);
  const lines = spokenLines(heard, (ms) => writeTime(ms, timeText, true)).join("\n");
  const rest = lines.length > maxCharacters ? "\n(The rest is too long to be shown.)" : "";
  const said = text(
    lines === ""
      ? "Nothing is said: a recogniser of speech heard no word."
      : `What is said, as a recogniser of speech heard it, each line after its time. It misses words, and other sounds are not given:\n${lines.slice(0, maxCharacters)}${rest}`,
  );
  return { before: text(about), after: [said], length: said.text.length };
}

/** Shows pictures, each after its time. Servers shift or lose the times of videos and say nothing, so the times are ours. */
export function showPictures(
  pictures: readonly Picture[],
  timeText: TimeText,
  speech: Speech,
  clip?: ClipVideo,
): Shown {
  const from = clip?.fromMs ?? 0;
  const about = clip
    ? "Pictures of the clip, in order. Before each stands its time in the whole video, which its clock shows too."
    : "Pictures of the video, in order. Before each stands its time, from the start of the video.";
  const { before, after, length } = aroundPictures(about, speech, timeText, clip);
  const parts = pictures.flatMap(({ ms, jpeg }) => [
    text(writeTime(from + ms, timeText, clip !== undefined)),
    { type: "image_url", image_url: { url: `data:image/jpeg;base64,${Buffer.from(jpeg).toString("base64")}` } },
  ]);
  return {
    ...{ pictures: pictures.length, words: length, share: 1, parts: [before, ...parts, ...after] },
    thinner: async (count) => showPictures(thinOut(pictures, count), timeText, speech, clip),
  };
}

type Encoded = { mp4: Uint8Array; framesPerSecond: number; durationMs: number };

/** Shows a video whose clock stands below its picture, because servers misread the rate of a video and say nothing. */
export function showVideo(
  form: Exclude<VideoForm, "pictures">,
  { mp4, framesPerSecond, durationMs }: Encoded,
  speech: Speech,
  clip: ClipVideo | undefined,
  encode: ((framesPerSecond: number, signal: AbortSignal) => Promise<Encoded>) | null,
): Shown {
  const base64 = Buffer.from(mp4).toString("base64");
  const part =
    form === "video_url"
      ? { video_url: { url: `data:video/mp4;base64,${base64}` } }
      : { input_video: { data: base64 } };
  const rate = `It has one picture every ${Number((1 / framesPerSecond).toFixed(2))} s.`;
  const clock = "The strip below each picture is its clock: MM:SS and tenths, from the start of the";
  const about = clip ? `The clip. ${rate} ${clock} whole video.` : `The video. ${rate} ${clock} video.`;
  const pictures = Math.max(1, Math.ceil((durationMs / 1000) * framesPerSecond));
  const { before, after, length } = aroundPictures(about, speech, "MM:SS", clip);
  return {
    ...{ pictures, words: length, share: 1 / 2, parts: [before, { type: form, ...part }, ...after] },
    thinner: (count, signal) =>
      encode?.((framesPerSecond * count) / pictures, signal).then((fewer) =>
        showVideo(form, fewer, speech, clip, encode),
      ),
  };
}

/** Returns the messages of a question: what is shown, then the prompt. */
export function writeMessages({ system, prompt }: Pick<Question, "system" | "prompt">, { parts }: Shown): object[] {
  return [
    { role: "system", content: system },
    { role: "user", content: [...parts, text(prompt)] },
  ];
}

function writeTime(ms: number, timeText: TimeText, isClip: boolean): string {
  if (timeText === "seconds") return `<${(ms / 1000).toFixed(1)} seconds>`;
  return isClip ? `${timestampText(ms)}.${Math.floor((ms % 1000) / 100)}` : timestampText(ms);
}

/** Returns at most `count` pictures, evenly spread, with the first one. */
function thinOut(pictures: readonly Picture[], count: number): readonly Picture[] {
  if (pictures.length <= count) return pictures;
  return Array.from({ length: count }, (_, index) => pictures[Math.floor((index * pictures.length) / count)]).filter(
    (picture) => picture !== undefined,
  );
}
