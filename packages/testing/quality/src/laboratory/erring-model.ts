import { type Random, randomFrom } from "@video-to-json/testing/running";

/** Something that happens in a video: what questions call it, and the text on the screen. It may happen several times. */
export type Scene = { name: string; startMs: number; endMs: number; text: string };

/** How a model errs about clips, and about the places of values. Shares are from 0 to 1. */
export type ClipErrors = {
  /** The deviation of each edge, and a constant part of it: another notion of when something begins. */
  sigmaMs?: number;
  biasMs?: number;
  /** The shares of clips in which it misses a scene, and in which it sees one that is not there, or is elsewhere. */
  miss?: number;
  invent?: number;
  /** The shares of clips in which it counts from the start of the clip, and sees a scene in the whole clip. */
  wrongClock?: number;
  wide?: number;
  /** How fast its clock runs within a clip: 1 is right, 1.1 gains a second in ten, 0.5 takes two pictures for one. */
  clockRate?: number;
  /** The shares of quotes that repeat the value in question, have another digit, or say it in other words. */
  echo?: number;
  misread?: number;
  paraphrase?: number;
  /** The share of values that it finds in the whole video. */
  wholeVideo?: number;
};

/** The models of the goals, and those that no check can repair. */
export const clipModels: Readonly<Record<string, ClipErrors>> = {
  perfect: {},
  "σ 1 s": { sigmaMs: 1000 },
  "bias 2 s": { biasMs: 2000 },
  "10 % inventions": { invent: 0.1 },
  "30 % inventions": { invent: 0.3 },
  "wrong clock": { wrongClock: 1 },
  "30 % missed": { miss: 0.3 },
  wide: { wide: 1 },
  echo: { echo: 1 },
  "drifting clock": { clockRate: 1.1 },
  "halved clock": { clockRate: 0.5 },
  real: { sigmaMs: 600, miss: 0.08, invent: 0.05, wrongClock: 0.05, echo: 0.3, misread: 0.05, paraphrase: 0.1 },
  weak: { sigmaMs: 1200, miss: 0.12, invent: 0.12, wrongClock: 0.1, echo: 0.6, misread: 0.1, wholeVideo: 0.2 },
};

type Window = { fromMs: number; toMs: number };
type Clip = Window & { framesPerSecond: number };
type Times = { from: string; to: string };

const readMs = (clock = "") => {
  const [minutes = "", seconds = ""] = clock.split(":");
  return Math.round((Number(minutes) * 60 + Number(seconds)) * 1000);
};

/** Writes a time as `MM:SS.s`. */
function clock(ms: number): string {
  const tenths = Math.max(0, Math.floor(ms / 100));
  return `${String(Math.floor(tenths / 600)).padStart(2, "0")}:${String(Math.floor(tenths / 10) % 60).padStart(2, "0")}.${tenths % 10}`;
}

/** Returns a number that deviates from 0 as measurements do (Irwin–Hall). */
export function deviation(draw: Random): number {
  return Array.from({ length: 12 }, () => draw.whole(0, 1000) / 1000).reduce((sum, part) => sum + part, -6);
}

/** Returns the text with another digit. */
export function misreadDigit(text: string, draw: Random): string {
  const places = [...text.matchAll(/\d/g)].map(({ index }) => index);
  if (places.length === 0) return text;
  const at = draw.one(places);
  return `${text.slice(0, at)}${(Number(text[at]) + draw.whole(1, 9)) % 10}${text.slice(at + 1)}`;
}

/**
 * Answers the questions of the second look and of evidence about a video with these scenes, with errors. The same question gets
 * the same answer; other windows get independent ones.
 */
export function openErringModel(scenes: readonly Scene[], durationMs: number, errors: ClipErrors, seed: number) {
  const drawFor = (...names: readonly (string | number)[]) =>
    randomFrom([...names.join(" ")].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) | 0, seed));

  /** Returns when something is seen in a clip. */
  function look(shown: readonly Scene[], { fromMs, toMs, framesPerSecond }: Clip, what: string): Times[] {
    const draw = drawFor(fromMs, toMs, what);
    const length = toMs - fromMs;
    const inside = shown.filter(({ startMs, endMs }) => startMs < toMs && endMs > fromMs);
    if (draw.chance(errors.invent ?? 0)) {
      const at = fromMs + draw.whole(0, Math.max(0, length - 3000));
      return [{ from: clock(at), to: clock(at + 3000) }];
    }
    if (inside.length === 0 || draw.chance(errors.miss ?? 0)) return [];
    if (draw.chance(errors.wide ?? 0)) return [{ from: clock(fromMs), to: clock(toMs) }];
    const err = (ms: number) =>
      fromMs + (ms - fromMs) * (errors.clockRate ?? 1) + (errors.biasMs ?? 0) + (errors.sigmaMs ?? 0) * deviation(draw);
    const clamp = (ms: number) => Math.min(toMs, Math.max(fromMs, ms));
    const edges = inside.map(({ startMs, endMs }) => {
      const start = startMs <= fromMs ? fromMs : clamp(err(startMs));
      // The last picture that shows a scene is before its end.
      return { start, end: endMs >= toMs ? toMs : clamp(err(endMs) - 1000 / framesPerSecond) };
    });
    const zero = draw.chance(errors.wrongClock ?? 0) ? fromMs : 0;
    return edges.map(({ start, end }) => ({ from: clock(start - zero), to: clock(Math.max(start, end) - zero) }));
  }

  /** Returns where a value is, and in which words. */
  function locate(pointer: string, value: unknown, about: Scene | undefined) {
    const draw = drawFor(pointer, String(value));
    const wide = draw.chance(errors.wholeVideo ?? 0);
    const { startMs, endMs, text } = about ?? { startMs: 0, endMs: 1000, text: "" };
    const quote = draw.chance(errors.echo ?? 0)
      ? String(value)
      : draw.chance(errors.misread ?? 0)
        ? misreadDigit(text, draw)
        : draw.chance(errors.paraphrase ?? 0)
          ? `a sign about ${text.split(" ")[0]?.toLowerCase()}`
          : text;
    const spans = [{ from: clock(wide ? 0 : startMs), to: clock(wide ? durationMs : endMs), modality: "text", quote }];
    return { pointer, where: "moments", spans };
  }

  return {
    /** Answers about a clip: each member of the schema is a question, which quotes the name of a scene. */
    answerClip(schema: Record<string, unknown>, clip: Clip): string {
      const members = Object.entries((schema.properties ?? {}) as Record<string, { description?: string }>);
      return JSON.stringify(
        Object.fromEntries(
          members.map(([name, { description = "" }]) => {
            const times = look(scenesOf(description), clip, description);
            return [name, { seen: times.length > 0 ? "here" : "not_here", times }];
          }),
        ),
      );
    },
    /** Answers where the video shows the fields that a prompt lists. */
    answerPlaces(prompt: string): string {
      const lines = prompt.split("\n").filter((line) => line.startsWith('{"pointer":'));
      const fields = lines.map((line) => JSON.parse(line) as { pointer: string; value: unknown });
      return JSON.stringify({
        fields: fields.map(({ pointer, value }) => locate(pointer, value, scenes[Number(pointer.split("/")[2])])),
      });
    },
    /** Returns the text on the screen at a time. */
    screenAt: (ms: number) => scenes.find(({ startMs, endMs }) => startMs <= ms && ms < endMs)?.text ?? "",
  };

  function scenesOf(question: string): Scene[] {
    return scenes.filter(({ name }) => question.includes(JSON.stringify(name)));
  }
}

/** Reads the part of the video that a question about a clip names. */
export function windowIn(prompt: string): Window | undefined {
  const [, from, to] = /the part from (\d+:\d\d\.\d) to (\d+:\d\d\.\d)/.exec(prompt) ?? [];
  return from === undefined ? undefined : { fromMs: readMs(from), toMs: readMs(to) };
}
