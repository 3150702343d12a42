import { box, editBoxes, replaceBox, scaleAt } from "./mp4-surgery.ts";
import type { TrickyExpectation } from "./tricky-videos.ts";

/** A file that code builds, mostly from a file that ffmpeg wrote. `read` returns the content of such a file by name. */
export type MadeFile = {
  name: string;
  file: string;
  expect: TrickyExpectation;
  make: (read: (file: string) => Promise<Buffer>) => Promise<Buffer>;
};

const unreadable = { ok: false, code: "media_unreadable" } as const;
const tooLong = { ok: false, code: "video_too_long" } as const;

function lasts(seconds: number, toleranceMs = 150): TrickyExpectation {
  return { ok: true, durationMs: seconds * 1000, toleranceMs };
}

const movieLength = 16;
const trackLength = 20;
const mediaLength = 16;
const sampleDuration = 12;
const pictureTrack = "moov/trak";

const lyingHeaders: readonly MadeFile[] = [
  {
    name: "a header that says a tenth of the length",
    file: "says-less.mp4",
    expect: lasts(5),
    make: async (read) => {
      const movie = editBoxes(await read("plain.mp4"), "moov/mvhd", scaleAt(movieLength, 0.1));
      const track = editBoxes(movie, "moov/trak/tkhd", scaleAt(trackLength, 0.1));
      return editBoxes(track, "moov/trak/mdia/mdhd", scaleAt(mediaLength, 0.1));
    },
  },
  {
    name: "tracks that say ten times the length",
    file: "tracks-say-more.mp4",
    expect: lasts(5),
    make: async (read) => {
      const track = editBoxes(await read("plain.mp4"), "moov/trak/tkhd", scaleAt(trackLength, 10));
      return editBoxes(track, "moov/trak/mdia/mdhd", scaleAt(mediaLength, 10));
    },
  },
  {
    name: "a header that says ten times the length",
    file: "says-more.mp4",
    expect: lasts(5),
    make: async (read) => editBoxes(await read("plain.mp4"), "moov/mvhd", scaleAt(movieLength, 10)),
  },
  {
    name: "an edit list that shows a fifth of what is there",
    file: "hiding-edit.mp4",
    expect: lasts(5),
    make: async (read) => editBoxes(await read("plain.mp4"), "moov/trak/edts/elst", scaleAt(8, 0.2)),
  },
  {
    name: "an edit list that repeats five seconds for two hours",
    file: "repeating-edit.mp4",
    expect: tooLong,
    make: async (read) =>
      replaceBox(await read("plain.mp4"), "moov/trak/edts/elst", (old) => {
        const edit = old.subarray(8, 20);
        const head = Buffer.alloc(8);
        head.writeUInt32BE(1500, 4);
        return Buffer.concat([head, ...Array.from({ length: 1500 }, () => edit)]);
      }),
  },
  {
    name: "an index that says ten times the length",
    file: "lying-index.mp4",
    expect: lasts(5),
    make: async (read) => {
      // Version 1: the first subsegment's duration follows forty bytes of header and its size.
      const firstDuration = 4 + 8 + 16 + 4 + 4;
      return editBoxes(await read("indexed.mp4"), "sidx", scaleAt(firstDuration, 10));
    },
  },
  {
    name: "a thousand pictures a second",
    file: "hurried.mp4",
    expect: unreadable,
    make: async (read) =>
      editBoxes(await read("plain.mp4"), `${pictureTrack}/mdia/minf/stbl/stts`, scaleAt(sampleDuration, 0.01)),
  },
  {
    name: "four million pictures of a byte each",
    file: "four-million.mp4",
    expect: unreadable,
    make: async (read) => {
      const samples = 4_000_000;
      const numbers =
        (...values: number[]) =>
        (content: Buffer) => {
          for (const [index, value] of values.entries()) content.writeUInt32BE(value, 4 + 4 * index);
        };
      const table = "moov/trak/mdia/minf/stbl";
      const sized = editBoxes(await read("silent.mp4"), `${table}/stsz`, numbers(1, samples));
      const timed = editBoxes(sized, `${table}/stts`, numbers(1, samples, 1));
      const chunked = editBoxes(timed, `${table}/stsc`, numbers(1, 1, samples));
      return Buffer.concat([chunked, box("free", Buffer.alloc(samples))]);
    },
  },
  {
    name: "turned on its side",
    file: "rotated.mp4",
    expect: lasts(5),
    make: async (read) =>
      editBoxes(await read("plain.mp4"), "moov/trak/tkhd", (header) => {
        const [a = 0, b = 0, u = 0, c = 0, d = 0] = [0, 0x10000, 0, 0xffff0000, 0];
        for (const [index, value] of [a, b, u, c, d].entries()) header.writeUInt32BE(value, 40 + 4 * index);
      }),
  },
  {
    name: "nine hundred tracks",
    file: "nine-hundred-tracks.mp4",
    expect: unreadable,
    make: async (read) =>
      replaceBox(await read("plain.mp4"), "moov", (old) => {
        const track = old.subarray(old.indexOf("trak") - 4);
        const one = track.subarray(0, track.readUInt32BE(0));
        return Buffer.concat([old, ...Array.from({ length: 900 }, () => one)]);
      }),
  },
  {
    name: "a hundred thousand empty boxes behind the video",
    file: "empty-boxes.mp4",
    expect: lasts(5),
    make: async (read) => {
      const empty = box("free", Buffer.alloc(0));
      return Buffer.concat([await read("plain.mp4"), ...Array.from({ length: 100_000 }, () => empty)]);
    },
  },
  {
    name: "time stamps that jump ahead by an hour",
    file: "jump-ahead.ts",
    expect: lasts(10, 300),
    make: async (read) => Buffer.concat([await read("plain.ts"), await read("late-start.ts")]),
  },
  {
    name: "time stamps that fall back by an hour",
    file: "fall-back.ts",
    expect: lasts(10, 300),
    make: async (read) => Buffer.concat([await read("late-start.ts"), await read("plain.ts")]),
  },
  {
    name: "ten pieces of nine tenths of a second after another",
    file: "short-pieces.ts",
    expect: lasts(9, 500),
    make: async (read) => repeat(await read("piece.ts"), 10),
  },
  {
    name: "a thousand pieces of nine tenths of a second before a longer one",
    file: "many-pieces.ts",
    expect: tooLong,
    make: async (read) => Buffer.concat([repeat(await read("piece.ts"), 1000), await read("plain.ts")]),
  },
  {
    name: "ten pieces of a programme stream of nine tenths of a second",
    file: "short-pieces.mpg",
    expect: lasts(9, 500),
    make: async (read) => repeat(await read("piece.mpg"), 10),
  },
  {
    name: "a recording that starts between key pictures",
    file: "mid-group.ts",
    expect: lasts(4.5, 700),
    make: async (read) => {
      const whole = await read("plain.ts");
      return whole.subarray(188 * Math.floor((whole.length * 0.1) / 188));
    },
  },
];

const cut: readonly MadeFile[] = [
  ...[
    "header-first.mp4",
    "from-ten-plain.mkv",
    "plain.mp4",
    "plain.mkv",
    "plain.avi",
    "plain.flv",
    "plain.wmv",
    "plain.webm",
    "indexed.mp4",
  ].map(
    (from): MadeFile => ({
      name: `the first half of ${from}`,
      file: `half-${from}`,
      expect: unreadable,
      make: async (read) => firstPart(await read(from), 0.55),
    }),
  ),
  ...["header-first.mp4", "plain.mkv"].map(
    (from): MadeFile => ({
      name: `all but the last bytes of ${from}`,
      file: `most-${from}`,
      expect: lasts(4.85, 300),
      make: async (read) => firstPart(await read(from), 0.96),
    }),
  ),
  {
    name: "fragments up to the middle, which declare no length",
    file: "half-fragments.mp4",
    expect: lasts(3, 700),
    make: async (read) => firstPart(await read("fragments.mp4"), 0.55),
  },
  {
    name: "a healthy header over random pictures",
    file: "random-pictures.mp4",
    expect: unreadable,
    make: async (read) => editBoxes(await read("plain.mp4"), "mdat", fillRandomly),
  },
  {
    name: "marked as protected, whatever its pictures",
    file: "protected.mp4",
    expect: unreadable,
    make: async (read) => {
      const file = Buffer.from(await read("plain.mp4"));
      file.write("encv", file.indexOf("avc1", file.indexOf("stsd")), "latin1");
      return file;
    },
  },
];

function repeat(piece: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => piece));
}

function firstPart(file: Buffer, share: number): Buffer {
  return file.subarray(0, Math.floor(file.length * share));
}

/** Fills a buffer with the same pseudo-random bytes each time (a linear congruential generator). */
export function fillRandomly(content: Buffer): void {
  let state = 1;
  for (let index = 0; index < content.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    content[index] = state >>> 24;
  }
}

/** Damaged and inconsistent videos. They are built from the encoded ones. */
export const damagedVideos: readonly MadeFile[] = [...lyingHeaders, ...cut];
