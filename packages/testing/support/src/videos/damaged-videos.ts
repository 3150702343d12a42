import { type Expectation, lasts, tooLong, unreadable } from "./encoded-videos.ts";
import { box, editBoxes, replaceBox, scaleAt } from "./mp4-surgery.ts";

/** A file that code builds from files that ffmpeg wrote. */
export type MadeFile = {
  name: string;
  file: string;
  expect: Expectation;
  from: readonly string[];
  make(...files: Buffer[]): Buffer | string;
};

function madeFrom(
  from: string,
  file: string,
  name: string,
  expect: Expectation,
  make: (content: Buffer) => Buffer,
): MadeFile {
  return { name, file, expect, from: [from], make };
}

const movieLength = 16;
const trackLength = 20;
const mediaLength = 16;
const sampleDuration = 12;
// Version 1: the first subsegment's duration follows forty bytes of header and its size.
const firstSubsegment = 4 + 8 + 16 + 4 + 4;

const lyingHeaders: readonly MadeFile[] = [
  madeFrom("plain.mp4", "says-less.mp4", "a header that says a tenth of the length", lasts(5), (plain) => {
    const movie = editBoxes(plain, "moov/mvhd", scaleAt(movieLength, 0.1));
    const track = editBoxes(movie, "moov/trak/tkhd", scaleAt(trackLength, 0.1));
    return editBoxes(track, "moov/trak/mdia/mdhd", scaleAt(mediaLength, 0.1));
  }),
  madeFrom("plain.mp4", "tracks-say-more.mp4", "tracks that say ten times the length", lasts(5), (plain) => {
    const track = editBoxes(plain, "moov/trak/tkhd", scaleAt(trackLength, 10));
    return editBoxes(track, "moov/trak/mdia/mdhd", scaleAt(mediaLength, 10));
  }),
  madeFrom("plain.mp4", "says-more.mp4", "a header that says ten times the length", lasts(5), (plain) =>
    editBoxes(plain, "moov/mvhd", scaleAt(movieLength, 10)),
  ),
  madeFrom("plain.mp4", "hiding-edit.mp4", "an edit list that shows a fifth of what is there", lasts(1), (plain) =>
    editBoxes(plain, "moov/trak/edts/elst", scaleAt(8, 0.2)),
  ),
  madeFrom(
    "plain.mp4",
    "repeating-edit.mp4",
    "an edit list that repeats five seconds for two hours",
    tooLong,
    (plain) =>
      replaceBox(plain, "moov/trak/edts/elst", (old) => {
        const head = Buffer.alloc(8);
        head.writeUInt32BE(1500, 4);
        return Buffer.concat([head, repeat(old.subarray(8, 20), 1500)]);
      }),
  ),
  madeFrom("indexed.mp4", "lying-index.mp4", "an index that says ten times the length", lasts(5), (indexed) =>
    editBoxes(indexed, "sidx", scaleAt(firstSubsegment, 10)),
  ),
  madeFrom("plain.mp4", "hurried.mp4", "a thousand pictures a second", unreadable, (plain) =>
    editBoxes(plain, "moov/trak/mdia/minf/stbl/stts", scaleAt(sampleDuration, 0.01)),
  ),
  madeFrom("silent.mp4", "four-million.mp4", "four million pictures of a byte each", unreadable, (silent) => {
    const samples = 4_000_000;
    const table = "moov/trak/mdia/minf/stbl";
    const sized = editBoxes(silent, `${table}/stsz`, writeNumbers(4, [1, samples]));
    const timed = editBoxes(sized, `${table}/stts`, writeNumbers(4, [1, samples, 1]));
    const chunked = editBoxes(timed, `${table}/stsc`, writeNumbers(4, [1, 1, samples]));
    return Buffer.concat([chunked, box("free", Buffer.alloc(samples))]);
  }),
  madeFrom("plain.mp4", "rotated.mp4", "turned on its side", lasts(5), (plain) =>
    editBoxes(plain, "moov/trak/tkhd", writeNumbers(40, [0, 0x10000, 0, 0xffff0000, 0])),
  ),
  madeFrom("plain.mp4", "nine-hundred-tracks.mp4", "nine hundred tracks", unreadable, (plain) =>
    replaceBox(plain, "moov", (old) => {
      const track = old.subarray(old.indexOf("trak") - 4);
      return Buffer.concat([old, repeat(track.subarray(0, track.readUInt32BE(0)), 900)]);
    }),
  ),
  madeFrom("plain.mp4", "empty-boxes.mp4", "a hundred thousand empty boxes behind the video", lasts(5), (plain) =>
    Buffer.concat([plain, repeat(box("free", Buffer.alloc(0)), 100_000)]),
  ),
  {
    ...{ name: "time stamps that jump ahead by an hour", file: "jump-ahead.ts", expect: lasts(10, 300) },
    ...{ from: ["plain.ts", "late-start.ts"], make: joined },
  },
  {
    ...{ name: "time stamps that fall back by an hour", file: "fall-back.ts", expect: lasts(10, 300) },
    ...{ from: ["late-start.ts", "plain.ts"], make: joined },
  },
  madeFrom(
    "piece.ts",
    "short-pieces.ts",
    "ten pieces of nine tenths of a second after another",
    lasts(9, 500),
    (piece) => repeat(piece, 10),
  ),
  {
    ...{ name: "a thousand pieces of nine tenths of a second before a longer one", file: "many-pieces.ts" },
    ...{ expect: tooLong, from: ["piece.ts", "plain.ts"] },
    make: (piece: Buffer, plain: Buffer) => joined(repeat(piece, 1000), plain),
  },
  madeFrom(
    "piece.mpg",
    "short-pieces.mpg",
    "ten pieces of a programme stream of nine tenths of a second",
    lasts(9, 500),
    (piece) => repeat(piece, 10),
  ),
  madeFrom("plain.ts", "mid-group.ts", "a recording that starts between key pictures", lasts(4.5, 700), (whole) =>
    whole.subarray(188 * Math.floor((whole.length * 0.1) / 188)),
  ),
];

const halved = [
  ...["header-first.mp4", "from-ten-plain.mkv", "plain.mp4", "plain.mkv", "plain.avi", "plain.flv", "plain.wmv"],
  ...["plain.webm", "indexed.mp4"],
];

const cut: readonly MadeFile[] = [
  ...halved.map((from) =>
    madeFrom(from, `half-${from}`, `the first half of ${from}`, unreadable, (whole) => firstPart(whole, 0.55)),
  ),
  ...["header-first.mp4", "plain.mkv"].map((from) =>
    madeFrom(from, `most-${from}`, `all but the last bytes of ${from}`, lasts(4.85, 300), (whole) =>
      firstPart(whole, 0.96),
    ),
  ),
  madeFrom(
    "fragments.mp4",
    "half-fragments.mp4",
    "fragments up to the middle, which declare no length",
    lasts(3, 700),
    (whole) => firstPart(whole, 0.55),
  ),
  madeFrom("plain.mp4", "random-pictures.mp4", "a healthy header over random pictures", unreadable, (plain) =>
    editBoxes(plain, "mdat", fillRandomly),
  ),
  madeFrom("plain.mp4", "protected.mp4", "marked as protected, whatever its pictures", unreadable, (plain) => {
    const file = Buffer.from(plain);
    file.write("encv", file.indexOf("avc1", file.indexOf("stsd")), "latin1");
    return file;
  }),
];

function writeNumbers(offset: number, values: readonly number[]): (content: Buffer) => void {
  return (content) => {
    for (const [index, value] of values.entries()) content.writeUInt32BE(value, offset + 4 * index);
  };
}

function joined(...pieces: Buffer[]): Buffer {
  return Buffer.concat(pieces);
}

function repeat(piece: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => piece));
}

function firstPart(file: Buffer, share: number): Buffer {
  return file.subarray(0, Math.floor(file.length * share));
}

/** Fills a buffer with the same pseudo-random bytes each time (a linear congruential generator). */
function fillRandomly(content: Buffer): void {
  let state = 1;
  for (let index = 0; index < content.length; index++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    content[index] = state >>> 24;
  }
}

const contents: readonly (readonly [name: string, file: string, content: string | Buffer])[] = [
  ["nothing", "empty.mp4", ""],
  ["one byte", "byte.mp4", "\0"],
  ["text", "text.mp4", "This is not a video, whatever its name.\n".repeat(50)],
  ["an HTML page", "page.mp4", "<!doctype html>\n<html><body><video src='plain.mp4'></video></body></html>\n"],
  ["a PDF document", "document.mp4", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"],
  ["a ZIP archive", "archive.mp4", Buffer.concat([Buffer.from("PK\x03\x04\x14\0\0\0", "latin1"), Buffer.alloc(200)])],
  ["random bytes", "random.mp4", randomBytes(100_000)],
  ["only the start of an MP4", "start.mp4", Buffer.from("\0\0\0\x18ftypisom\0\0\x02\0isomiso2", "latin1")],
  [
    "an HLS playlist of a file beside it",
    "playlist.mp4",
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\nplain.ts\n#EXT-X-ENDLIST\n",
  ],
  [
    "an HLS playlist after a blank line",
    "playlist-blank.mp4",
    "\n#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\nplain.ts\n#EXT-X-ENDLIST\n",
  ],
  [
    "an HLS playlist of a system file",
    "playlist-system.mp4",
    "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
  ],
  ["an ffconcat list", "concat.mp4", "ffconcat version 1.0\nfile plain.mp4\nfile plain.mp4\n"],
  [
    "a DASH manifest",
    "manifest.mp4",
    '<?xml version="1.0"?>\n<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT5S">' +
      '<Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>plain.mp4</BaseURL>' +
      "</Representation></AdaptationSet></Period></MPD>\n",
  ],
  [
    "an SDP description",
    "session.mp4",
    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\n",
  ],
  ["an SVG picture", "drawing.mp4", '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>\n'],
  ["captions alone", "captions-alone.mp4", "1\n00:00:00,000 --> 00:00:05,000\nHello\n"],
];

function randomBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  fillRandomly(bytes);
  return bytes;
}

/** Damaged and inconsistent videos, and files that are not videos, under a video's name. */
export const madeFiles: readonly MadeFile[] = [
  ...lyingHeaders,
  ...cut,
  ...contents.map(([name, file, content]) => ({ name, file, expect: unreadable, from: [], make: () => content })),
];
