import { type Random, randomFrom } from "@video-to-json/testing/running";

/**
 * Something that happens in a video: what questions call it, and the text on the screen. It may happen several times. `visible`: what
 * can be seen of it, by the keys that questions have for it.
 */
export type Scene = {
  name: string;
  startMs: number;
  endMs: number;
  text: string;
  visible?: Readonly<Record<string, string | number | boolean>>;
};

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
  /** The share of visible values for which it takes another option, or how it chooses without looking. */
  blind?: number;
  chooses?: "first" | "last" | "yes" | "no" | "echo";
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
  real: {
    sigmaMs: 600,
    miss: 0.08,
    invent: 0.05,
    wrongClock: 0.05,
    echo: 0.3,
    misread: 0.05,
    paraphrase: 0.1,
    blind: 0.08,
  },
  weak: {
    sigmaMs: 1200,
    miss: 0.12,
    invent: 0.12,
    wrongClock: 0.1,
    echo: 0.6,
    misread: 0.1,
    wholeVideo: 0.2,
    blind: 0.2,
  },
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

  /** Returns where a value is, and in which words. Nothing but the picture shows what can only be seen. */
  function locate({ id, pointer, value }: { id: number; pointer: string; value: unknown }, about: Scene | undefined) {
    const draw = drawFor(pointer, String(value));
    if (about?.visible && keyOf(pointer) in about.visible) {
      return { id, spans: [{ from: clock(about.startMs), to: clock(about.endMs), modality: "visual" }] };
    }
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
    return { id, spans };
  }

  /** Returns the chosen option of a question about something visible. Two questions get independent answers. */
  function choose({ about, options: own = [] }: Choice, clip: Clip): string {
    const isClaim = about.claim !== undefined;
    const options = isClaim ? ["it is so", "it is not so", "cannot tell"] : [...own, "none of these", "cannot tell"];
    const draw = drawFor(clip.fromMs, clip.toMs, JSON.stringify({ about, options }));
    const [first = "", second = ""] = options;
    const bias = errors.chooses;
    if (bias === "last") return options.at(-1) ?? "";
    if (bias === "no" && isClaim) return second;
    const words: string[] = JSON.stringify(about).match(/\w+/g) ?? [];
    if (bias) return (bias === "echo" && options.find((option) => words.includes(option))) || first;
    if (draw.chance(errors.blind ?? 0)) return draw.one(options);
    const shown = scenes.find(({ startMs, endMs }) => startMs < clip.toMs && endMs > clip.fromMs);
    const truth = String(shown?.visible?.[keyOf(about.field)]);
    if (isClaim) return about.claim === truth ? first : second;
    return options.includes(truth) ? truth : (options.at(-2) ?? "");
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
    /** Answers the questions about what a clip shows. */
    answerChoices(prompt: string, clip: Clip): string {
      return JSON.stringify({ answers: linesOf<Choice>(prompt, "question").map((asked) => choose(asked, clip)) });
    },
    /** Answers where the video shows the fields that a prompt lists. */
    answerPlaces(prompt: string): string {
      const fields = linesOf<{ id: number; pointer: string; value: unknown }>(prompt, "id");
      return JSON.stringify({ fields: fields.map((field) => locate(field, sceneAt(field.pointer))) });
    },
    /** Returns the text on the screen at a time. */
    screenAt: (ms: number) => scenes.find(({ startMs, endMs }) => startMs <= ms && ms < endMs)?.text ?? "",
  };

  function sceneAt(pointer: string): Scene | undefined {
    return scenes[Number(pointer.split("/")[2])];
  }

  function scenesOf(question: string): Scene[] {
    return scenes.filter(({ name }) => question.includes(JSON.stringify(name)));
  }
}

type Choice = { about: { field: string; claim?: string }; options?: string[] };

function keyOf(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf("/") + 1);
}

/** Returns the objects of a prompt, one a line, that begin with a key. */
function linesOf<Line>(prompt: string, key: string): Line[] {
  const lines = prompt.split("\n").filter((line) => line.startsWith(`{"${key}":`));
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Reads the part of the video that a question about a clip names. */
export function windowIn(prompt: string): Window | undefined {
  const [, from, to] = /the part from (\d+:\d\d\.\d) to (\d+:\d\d\.\d)/.exec(prompt) ?? [];
  return from === undefined ? undefined : { fromMs: readMs(from), toMs: readMs(to) };
}
