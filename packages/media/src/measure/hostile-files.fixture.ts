import { deflateSync } from "node:zlib";
import { box, changeBoxes, numbersAt, putBox } from "./mp4-boxes.harness.ts";

/** The expected result: the approximate length in seconds, or a code. */
type Outcome = number | "media_unreadable" | "video_too_long";

/** A hostile or odd file, made from the valid file `from`. */
type ChangedFile = readonly [name: string, from: string, make: (file: Buffer) => Buffer, outcome: Outcome];

const unreadable = "media_unreadable";
const table = "moov/trak/mdia/minf/stbl";

function repeated(times: number, bytes: Buffer): Buffer {
  return Buffer.alloc(times * bytes.length, bytes);
}

function nested(depth: number, type: string): Buffer {
  const heads = Buffer.alloc(8 * depth);
  for (let at = 0; at < depth; at++) {
    heads.writeUInt32BE(8 * (depth - at), 8 * at);
    heads.write(type, 8 * at + 4, "latin1");
  }
  return heads;
}

const empty = box("free", Buffer.alloc(0));

const bombs: readonly ChangedFile[] = [
  ["two million empty boxes before the video", "plain.mp4", (file) => between(file, repeated(2_000_000, empty)), 5],
  [
    "a hundred thousand empty boxes after the video",
    "plain.mp4",
    (file) => Buffer.concat([file, repeated(100_000, empty)]),
    5,
  ],
  [
    "a hundred thousand empty boxes in the movie box",
    "plain.mp4",
    (file) => inMovie(file, repeated(100_000, empty)),
    5,
  ],
  [
    "two million empty tracks",
    "plain.mp4",
    (file) => inMovie(file, repeated(2_000_000, box("trak", Buffer.alloc(0)))),
    unreadable,
  ],
  ["twenty thousand nested boxes", "plain.mp4", (file) => Buffer.concat([file, nested(20_000, "moov")]), 5],
  ["twenty thousand nested tracks", "plain.mp4", (file) => inMovie(file, nested(20_000, "trak")), 5],
  [
    "twenty thousand nested containers in the movie box",
    "plain.mp4",
    (file) => inMovie(file, nested(20_000, "udta")),
    unreadable,
  ],
  [
    "170 million samples of one size",
    "silent.mp4",
    (file) => changeBoxes(file, `${table}/stsz`, numbersAt(4, [1, 170_000_000])),
    unreadable,
  ],
  [
    "170 million samples without sizes",
    "silent.mp4",
    (file) => changeBoxes(file, `${table}/stsz`, numbersAt(4, [0, 170_000_000])),
    unreadable,
  ],
  [
    "four billion time steps",
    "silent.mp4",
    (file) => changeBoxes(file, `${table}/stts`, numbersAt(4, [0xffffffff])),
    unreadable,
  ],
  [
    "four billion chunks",
    "silent.mp4",
    (file) => changeBoxes(file, `${table}/stco`, numbersAt(4, [0xffffffff])),
    unreadable,
  ],
  [
    "edits that repeat five seconds for 55 hours",
    "plain.mp4",
    (file) =>
      putBox(file, "moov/trak/edts/elst", (old) =>
        Buffer.concat([old.subarray(0, 4), number32(39_600), repeated(39_600, old.subarray(8, 20))]),
      ),
    "video_too_long",
  ],
  [
    "a million pictures within a millionth of a second",
    "silent.mp4",
    (file) => changeBoxes(file, "moov/trak/mdia/mdhd", numbersAt(12, [0x7fffffff])),
    unreadable,
  ],
];

const lies: readonly ChangedFile[] = [
  [
    "a clock of zero ticks a second",
    "silent.mp4",
    (file) => changeBoxes(file, "moov/trak/mdia/mdhd", numbersAt(12, [0])),
    unreadable,
  ],
  ["a movie clock of zero ticks", "silent.mp4", (file) => changeBoxes(file, "moov/mvhd", numbersAt(12, [0])), 5],
  [
    "a declared length of four billion",
    "silent.mp4",
    (file) => changeBoxes(file, "moov/mvhd", numbersAt(16, [0xffffffff])),
    5,
  ],
  [
    "an edit that starts below zero",
    "silent.mp4",
    (file) => changeBoxes(file, "moov/trak/edts/elst", numbersAt(12, [0x80000000])),
    // Players show nothing of these two.
    unreadable,
  ],
  [
    "an edit of length zero",
    "silent.mp4",
    (file) => changeBoxes(file, "moov/trak/edts/elst", numbersAt(8, [0])),
    unreadable,
  ],
  ["an edit at speed zero", "silent.mp4", (file) => changeBoxes(file, "moov/trak/edts/elst", numbersAt(16, [0])), 5],
  [
    "four billion edits",
    "silent.mp4",
    (file) => changeBoxes(file, "moov/trak/edts/elst", numbersAt(4, [0xffffffff])),
    5,
  ],
  ["no samples", "silent.mp4", (file) => changeBoxes(file, `${table}/stsz`, numbersAt(8, [0])), unreadable],
  [
    "samples outside the file",
    "silent.mp4",
    (file) => changeBoxes(file, `${table}/stco`, (content) => content.fill(255, 8)),
    unreadable,
  ],
  [
    "a declared picture size of zero",
    "silent.mp4",
    (file) => changeBoxes(file, "moov/trak/tkhd", numbersAt(76, [0, 0])),
    5,
  ],
  ["samples at an http URL, which is ignored", "silent.mp4", withSamplesIn(addressOf), 5],
  ["samples in a file in the same directory", "silent.mp4", withSamplesIn(aliasOf("plain.mp4")), unreadable],
  ["samples in a system file", "silent.mp4", withSamplesIn(aliasOf("/etc/passwd")), unreadable],
];

const tracks: readonly ChangedFile[] = [
  ["a data track of an action camera", "captions.mp4", asTrack("meta", "gpmd"), 5],
  ["a data track of an unknown kind", "captions.mp4", asTrack("meta", "zzzz"), 5],
  ["a timed metadata track", "captions.mp4", asTrack("meta", "mett"), 5],
  ["a hint track", "captions.mp4", asTrack("hint", "rtp "), 5],
  ["a closed captions track", "captions.mp4", asTrack("clcp", "c608"), 5],
  ["a track without a kind", "captions.mp4", asTrack("\0\0\0\0", "\0\0\0\0"), 5],
];

const strangers: readonly ChangedFile[] = [
  ["a video followed by a ZIP archive", "plain.mp4", (file) => Buffer.concat([file, zip]), 5],
  ["a video after a box with an HTML page", "plain.mp4", (file) => between(file, box("free", page)), 5],
  ["a video after a box with a PDF document", "plain.mp4", (file) => between(file, box("free", document)), 5],
  ["a Matroska video followed by a ZIP archive", "plain.mkv", (file) => Buffer.concat([file, zip]), 5],
  ["an HTML page followed by a video", "plain.mp4", (file) => Buffer.concat([page, file]), unreadable],
  ["a PDF document followed by a video", "plain.mp4", (file) => Buffer.concat([document, file]), unreadable],
  ["a ZIP archive followed by a video", "plain.mp4", (file) => Buffer.concat([zip, file]), unreadable],
  [
    "a GIF followed by a video",
    "plain.mp4",
    (file) => Buffer.concat([Buffer.from("GIF89a\x01\0\x01\0\0\0\0;"), file]),
    unreadable,
  ],
  [
    "a playlist followed by a video",
    "plain.ts",
    (file) => Buffer.concat([Buffer.from("#EXTM3U\nplain.ts\n"), file]),
    unreadable,
  ],
  ["zeros", "plain.mp4", () => Buffer.alloc(3_000_000), unreadable],
  ["one byte", "plain.mp4", (file) => file.subarray(0, 1), unreadable],
  ["only the first box", "plain.mp4", (file) => file.subarray(0, file.readUInt32BE(0)), unreadable],
  ["only the header", "header-first.mp4", (file) => file.subarray(0, file.indexOf("mdat") + 4), unreadable],
  ["only the pictures", "plain.mp4", (file) => file.subarray(0, file.indexOf("moov") - 4), unreadable],
  ["only the magic number of Matroska", "plain.mp4", () => Buffer.from("\x1aE\xdf\xa3", "latin1"), unreadable],
  ["an AVI whose captions are a playlist", "plain.avi", withCaptions("#EXTM3U\n#EXTINF:5.0,\nplain.ts\n"), 5],
  ["an AVI whose captions are a list of files", "plain.avi", withCaptions("ffconcat version 1.0\nfile plain.ts\n"), 5],
  ["a video branded as an image", "plain.mp4", branded("heic"), unreadable],
  ["a video branded as a sequence of images", "plain.mp4", branded("avis"), unreadable],
  ["a video with an unknown brand", "plain.mp4", branded("\0\xff?!"), 5],
  ["nested elements in a Matroska header", "plain.mkv", () => nestedTags(20_000), unreadable],
  ["Matroska packets that unpack to a thousand times their size", "plain.mkv", () => growing(), unreadable],
  ["Matroska packets that share all bytes but one", "plain.mkv", () => samePictures(gray, 1000, 4607), unreadable],
  ["Matroska packets that share four bytes", "plain.mkv", () => samePictures(gray, 1000, 4), 5],
];

const cuts: readonly ChangedFile[] = [
  ...[0.1, 0.5, 0.86].map((share) => cutAt("header-first.mp4", share, unreadable)),
  cutAt("header-first.mp4", 0.97, 4.8),
  ...[0.1, 0.5].map((share) => cutAt("plain.mkv", share, unreadable)),
  ...[0.1, 0.5, 0.97].map((share) => cutAt("plain.mp4", share, unreadable)),
];

/** The files that every run checks, at least one for each kind of attack and each reason to accept or reject. */
export const coreFiles = [
  ...["a hundred thousand empty boxes after the video", "twenty thousand nested boxes"],
  ...["twenty thousand nested containers in the movie box", "170 million samples of one size"],
  ...["edits that repeat five seconds for 55 hours", "a million pictures within a millionth of a second"],
  ...["a clock of zero ticks a second", "a declared length of four billion", "no samples"],
  ...["samples in a system file", "samples at an http URL, which is ignored", "a data track of an unknown kind"],
  ...["a video followed by a ZIP archive", "an HTML page followed by a video", "zeros", "only the pictures"],
  ...["an AVI whose captions are a playlist", "a video branded as an image"],
  ...["Matroska packets that share all bytes but one", "Matroska packets that share four bytes"],
  ...["the first 50 % of header-first.mp4", "the first 97 % of header-first.mp4"],
];

/**
 * All files. They are made from files of five seconds with sound (`silent.mp4` has none) and captions (`captions.mp4`).
 */
export const hostileFiles: readonly ChangedFile[] = [...bombs, ...lies, ...tracks, ...strangers, ...cuts];

const page = Buffer.from("<!doctype html><script>alert(1)</script>");
const document = Buffer.from("%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n");
const zip = Buffer.concat([
  Buffer.from("PK\x03\x04\x14\0\0\0", "latin1"),
  Buffer.alloc(100),
  Buffer.from("PK\x05\x06"),
]);

function cutAt(from: string, share: number, outcome: Outcome): ChangedFile {
  return [`the first ${share * 100} % of ${from}`, from, (file) => file.subarray(0, share * file.length), outcome];
}

function branded(brand: string): (file: Buffer) => Buffer {
  return (file) => Buffer.concat([file.subarray(0, 8), Buffer.from(brand, "latin1"), file.subarray(12)]);
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Inserts bytes after the first box, and corrects the offsets of the samples. */
function between(file: Buffer, bytes: Buffer): Buffer {
  const first = file.readUInt32BE(0);
  const moved = changeBoxes(file, `${table}/stco`, (content) => {
    for (let at = 8; at + 4 <= content.length; at += 4)
      content.writeUInt32BE(content.readUInt32BE(at) + bytes.length, at);
  });
  return Buffer.concat([moved.subarray(0, first), bytes, moved.subarray(first)]);
}

function inMovie(file: Buffer, bytes: Buffer): Buffer {
  return putBox(file, "moov", (old) => Buffer.concat([old, bytes]));
}

/** Returns a change that declares another file as the location of the samples. */
function withSamplesIn(reference: () => Buffer): (file: Buffer) => Buffer {
  const one = Buffer.concat([number32(0), number32(1)]);
  return (file) => putBox(file, "moov/trak/mdia/minf/dinf/dref", () => Buffer.concat([one, reference()]));
}

function addressOf(): Buffer {
  return box("url ", Buffer.from("\0\0\0\0http://127.0.0.1:9/clip.mp4\0", "latin1"));
}

/** Returns a Macintosh alias: the names of disk and file as fields, then the path as a record. */
function aliasOf(path: string): () => Buffer {
  const text = (value: string, size: number) => {
    const field = Buffer.alloc(1 + size);
    field[0] = Math.min(value.length, size);
    field.write(value, 1, size, "latin1");
    return field;
  };
  const levels = Buffer.from([0, 1, 0, 1]);
  const record = Buffer.concat([Buffer.from([0, 2, 0, path.length]), Buffer.from(path), Buffer.alloc(path.length % 2)]);
  const end = Buffer.from([255, 255, 0, 0]);
  const disk = [Buffer.alloc(4 + 10), text("disk", 27), Buffer.alloc(12)];
  const file = [text(path, 63), Buffer.alloc(16), levels, Buffer.alloc(16)];
  return () => box("alis", Buffer.concat([...disk, ...file, record, end]));
}

/** Returns a change that gives the caption track another handler and another sample entry. */
function asTrack(handler: string, entry: string): (file: Buffer) => Buffer {
  return (file) => {
    const changed = Buffer.from(file);
    changed.write(handler, changed.indexOf("sbtl"), "latin1");
    changed.write(entry, changed.indexOf("tx3g"), "latin1");
    return changed;
  };
}

/** Returns a change that adds a caption stream. Its one packet holds a file, which ffmpeg opens. */
function withCaptions(text: string): (file: Buffer) => Buffer {
  const stream = list("strl", chunk("strh", Buffer.concat([Buffer.from("txts"), Buffer.alloc(52)])), chunk("strf"));
  const sizes = Buffer.alloc(17);
  sizes.write("GAB2\0\x02", "latin1");
  sizes.writeUInt32LE(text.length, 13);
  const packet = chunk("01tx", Buffer.concat([sizes, Buffer.from(text)]));
  return (file) => {
    const headers = file.indexOf("LIST") + 8;
    const movie = file.indexOf("LIST", file.indexOf("movi") - 8);
    const endOf = (at: number) => at + 8 + file.readUInt32LE(at + 4);
    const grown = Buffer.concat([
      ...[file.subarray(0, endOf(headers - 8)), stream, file.subarray(endOf(headers - 8), movie + 12), packet],
      ...[file.subarray(movie + 12)],
    ]);
    const grow = (at: number, by: number) => grown.writeUInt32LE(grown.readUInt32LE(at) + by, at);
    grow(4, stream.length + packet.length);
    grow(headers - 4, stream.length);
    grow(movie + stream.length + 4, packet.length);
    grow(grown.indexOf("avih") + 32, 1);
    return grown;
  };
}

/** Returns an AVI chunk. */
function chunk(type: string, content = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, "latin1");
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

function list(type: string, ...chunks: readonly Buffer[]): Buffer {
  return chunk("LIST", Buffer.concat([Buffer.from(type), ...chunks]));
}

/** Returns a Matroska element. */
function element(id: string, ...content: readonly Buffer[]): Buffer {
  const whole = Buffer.concat(content);
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(whole.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, "hex"), size, whole]);
}

const matroskaHead = element("1a45dfa3", element("4282", Buffer.from("matroska")));

/** Returns a file of nested tags, the only elements that may contain themselves. */
function nestedTags(depth: number): Buffer {
  let tags = element("45a3", Buffer.from("x"));
  for (let left = Math.min(depth, 2_000); left > 0; left--) tags = element("67c8", tags);
  return Buffer.concat([matroskaHead, element("18538067", element("1254c367", element("7373", tags)))]);
}

/** A raw gray picture. */
const gray = { codec: "V_UNCOMPRESSED", width: 64, height: 48, bytes: Buffer.alloc(4608, 128) };

/**
 * Returns a Matroska file of equal pictures, 200 a second. The first `writtenOnce` bytes of all packets are stored
 * once.
 */
export function samePictures(picture: typeof gray, count: number, writtenOnce: number): Buffer {
  const { codec, bytes } = picture;
  const kind = [element("4254", Buffer.from([3])), element("4255", bytes.subarray(0, writtenOnce))];
  const packing = element("6d80", element("6240", element("5034", ...kind)));
  const side = (length: number) => Buffer.from([length >> 8, length & 255]);
  const size = [element("b0", side(picture.width)), element("ba", side(picture.height))];
  const track = element(
    "ae",
    ...[element("d7", Buffer.from([1])), element("73c5", Buffer.from([1])), element("83", Buffer.from([1]))],
    ...[element("86", Buffer.from(codec)), packing, element("e0", ...size, element("2eb524", Buffer.from("I420")))],
  );
  const rest = bytes.subarray(writtenOnce);
  const block = (at: number) => element("a3", Buffer.from([0x81, at >> 8, at & 255, 0x80]), rest);
  const blocks = Array.from({ length: count }, (_, index) => block(index * 5));
  const cluster = element("1f43b675", element("e7", Buffer.from([0])), ...blocks);
  return Buffer.concat([matroskaHead, element("18538067", element("1654ae6b", track), cluster)]);
}

/** Returns a file with packets of ten kilobytes that unpack to ten megabytes. */
function growing(): Buffer {
  const packed = deflateSync(Buffer.alloc(9_900_000), { level: 9 });
  const packing = element("6d80", element("6240", element("5034", element("4254", Buffer.from([0])))));
  const size = [element("b0", Buffer.from([0, 64])), element("ba", Buffer.from([0, 48]))];
  const track = element(
    "ae",
    ...[element("d7", Buffer.from([1])), element("73c5", Buffer.from([1])), element("83", Buffer.from([1]))],
    ...[element("86", Buffer.from("V_MPEG2")), packing, element("e0", ...size)],
  );
  const block = (at: number) => element("a3", Buffer.from([0x81, at >> 8, at & 255, 0x80]), packed);
  const blocks = Array.from({ length: 60 }, (_, index) => block(index * 40));
  const cluster = element("1f43b675", element("e7", Buffer.from([0])), ...blocks);
  return Buffer.concat([matroskaHead, element("18538067", element("1654ae6b", track), cluster)]);
}
