import { timestampText } from "@video-to-json/contract";
import type { Picture, Question } from "../analysis-provider.ts";

/** How the time of a picture is written: `00:07`, or `<7.0 seconds>`, with which some models were trained. */
export type TimeText = "MM:SS" | "seconds";

/**
 * Returns the messages of a question: its pictures in order, each after its time as text, then the prompt. Servers
 * shift or lose the times of videos and say nothing, so the times are ours.
 */
export function writeMessages(
  { system, prompt, clip }: Pick<Question, "system" | "prompt" | "clip">,
  pictures: readonly Picture[],
  timeText: TimeText,
): object[] {
  const from = clip?.fromMs ?? 0;
  const about = clip
    ? "Pictures of the clip, in order. Before each stands its time in the whole video, which its clock shows too."
    : "Pictures of the video, in order. Before each stands its time, from the start of the video.";
  const text = (words: string) => ({ type: "text", text: words });
  return [
    { role: "system", content: system },
    {
      role: "user",
      content: [
        text(`${about} The sound is not given, so nothing can be heard.`),
        ...pictures.flatMap(({ ms, jpeg }) => [
          text(writeTime(from + ms, timeText, clip !== undefined)),
          { type: "image_url", image_url: { url: `data:image/jpeg;base64,${Buffer.from(jpeg).toString("base64")}` } },
        ]),
        text(prompt),
      ],
    },
  ];
}

function writeTime(ms: number, timeText: TimeText, isClip: boolean): string {
  if (timeText === "seconds") return `<${(ms / 1000).toFixed(1)} seconds>`;
  return isClip ? `${timestampText(ms)}.${Math.floor((ms % 1000) / 100)}` : timestampText(ms);
}

/** Returns at most `count` pictures, evenly spread, with the first one. */
export function thinOut(pictures: readonly Picture[], count: number): readonly Picture[] {
  if (pictures.length <= count) return pictures;
  return Array.from({ length: count }, (_, index) => pictures[Math.floor((index * pictures.length) / count)]).filter(
    (picture) => picture !== undefined,
  );
}
