import type { FileHandle } from "node:fs/promises";

/** The families of containers that are read alike: the MP4 family, transport and program streams, all others. */
export type Family = "mov" | "mpeg" | "other";

/** Returns the family for ffmpeg's name of the format. */
export function familyOfFormat(format: string): Family {
  if (format.startsWith("mov")) return "mov";
  return format.startsWith("mpeg") ? "mpeg" : "other";
}

/** Guesses the family from the first bytes. Only ffmpeg knows for certain. */
export async function guessFamily(file: FileHandle): Promise<Family> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(16), 0, 16, 0);
  const start = buffer.toString("hex", 0, bytesRead);
  // A transport stream of a camera has a time code of four bytes before each packet. Packets start with 0x47.
  if (/^(47|.{8}47|000001ba)/.test(start)) return "mpeg";
  return otherContainers.some((signature) => start.startsWith(signature)) ? "other" : "mov";
}

/** The first bytes of Matroska, AVI, FLV, Ogg and ASF. */
const otherContainers = [
  "1a45dfa3",
  ...["RIFF", "FLV", "OggS"].map((text) => Buffer.from(text).toString("hex")),
  "3026b275",
];

/** A container's common name and its media type. */
export type Container = { container: string; mimeType: string };

/**
 * Returns the container for ffmpeg's name of the format, the brand of a file of the MP4 family and the first bytes.
 * Returns undefined for images in a container of the MP4 family (AVIF, HEIC).
 */
export function nameContainer(format: string, brand: string | null, firstBytes: Buffer): Container | undefined {
  const family = format.split(",")[0] ?? "";
  if (family === "mov") return nameMov(brand);
  if (family === "matroska") return named(isWebm(firstBytes) ? "webm" : "matroska");
  return named(family);
}

const mimeTypes: Record<string, string> = {
  mp4: "video/mp4",
  mov: "video/quicktime",
  "3gp": "video/3gpp",
  webm: "video/webm",
  matroska: "video/x-matroska",
  avi: "video/avi",
  mpegts: "video/mp2t",
  mpeg: "video/mpeg",
  flv: "video/x-flv",
  ogg: "video/ogg",
  asf: "video/wmv",
};

const imageBrands = /^(avif|avis|mif1|msf1|heic|heix|heim|heis|hevc|hevx|hevm|hevs|jpeg|jpgs|crx )$/;

function nameMov(brand: string | null): Container | undefined {
  if (brand === null || brand === "qt  ") return named("mov");
  if (imageBrands.test(brand)) return undefined;
  return named(/^3g[2-9a-z]/.test(brand) ? "3gp" : "mp4");
}

/** Returns whether the DocType element (0x4282) of the EBML header says WebM rather than Matroska. */
function isWebm(firstBytes: Buffer): boolean {
  const at = firstBytes.indexOf(Buffer.from([0x42, 0x82]));
  return at >= 0 && firstBytes.toString("latin1", at + 2, at + 12).includes("webm");
}

function named(container: string): Container | undefined {
  const mimeType = mimeTypes[container];
  return mimeType === undefined ? undefined : { container, mimeType };
}

/**
 * Recognises files that are not videos, or videos in a container that is not read, but are often sent, by mistake or on
 * purpose. Uses their first bytes: with all of `bytesToName`, also a file that begins like no container at all.
 *
 * @returns a name such as "an HTML page" or "an MXF file", or undefined if the file may be a video that is read.
 */
export function nameNonVideo(firstBytes: Buffer): string | undefined {
  const bytes = firstBytes.toString("latin1");
  const text = bytes.replace(/^\xEF\xBB\xBF/, "").trimStart();
  return (
    signatures.find(([signature]) => bytes.startsWith(signature))?.[1] ??
    texts.find(([pattern]) => pattern.test(text))?.[1] ??
    (/^RIFF....WEBP/s.test(bytes) ? "a WebP image" : undefined) ??
    (/^RIFF....WAVE/s.test(bytes) ? "a sound file" : undefined) ??
    (bytes.length < bytesToName || startsLikeContainer(firstBytes) ? undefined : "data of an unknown kind")
  );
}

/**
 * Returns whether a file may be of an allowed container: it starts with a box of the MP4 family or with the signature of
 * another one, or a program stream or two packets of a transport stream begin somewhere.
 */
function startsLikeContainer(firstBytes: Buffer): boolean {
  const start = firstBytes.toString("hex", 0, 16);
  return (
    otherContainers.some((signature) => start.startsWith(signature)) ||
    ["000001ba", "000001b3"].some((code) => firstBytes.includes(code, "hex")) ||
    /^.{4}[\w \xA9]{4}|G.{187}(.{4}|.{16})?G/s.test(firstBytes.toString("latin1"))
  );
}

/** The number of bytes at the start of a file that `nameNonVideo` needs. */
export const bytesToName = 1024;

const signatures: readonly (readonly [string, string])[] = [
  ["GIF87a", "a GIF"],
  ["GIF89a", "a GIF"],
  ["\x89PNG\r\n", "a PNG image"],
  ["\xFF\xD8\xFF", "a JPEG image"],
  ["II*\0", "a TIFF image"],
  ["MM\0*", "a TIFF image"],
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive"],
  ["\x1F\x8B", "a gzip archive"],
  ["\x06\x0E\x2B\x34\x02\x05\x01\x01\x0D\x01\x02", "an MXF file"],
  ["nut/multimedia container\0", "a NUT file"],
  ["YUV4MPEG2 ", "a file of raw pictures (Y4M)"],
  ["DKIF", "an IVF file"],
  [".RMF", "a RealMedia file"],
  ["\0\0\0\0\x01\xBC", "a GXF file"],
  ["\xB7\xD8\0\x20\x37\x49\xDA\x11", "a WTV recording"],
  ["\x1F\x07\0", "a raw DV stream"],
  ["\0\0\0\x01\x67", "a raw H.264 stream"],
  ["\0\0\0\x01\x40\x01", "a raw HEVC stream"],
  ["\0\0\x01\xB3", "a raw MPEG stream"],
  ["ID3", "a sound file"],
  ["fLaC", "a sound file"],
  ["\0\x05\x16\x07", "a resource file of macOS, whose name starts with `._`"],
];

const texts: readonly (readonly [RegExp, string])[] = [
  [/^#EXTM3U/, "an HLS playlist"],
  [/^ffconcat\b/, "an ffconcat list"],
  [/^v=0\r?\n/, "an SDP description"],
  [/^(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)*<MPD\b/, "a DASH manifest"],
  [/^(<!--[^>]*-->\s*)*(<!doctype html|<html|<head|<body)/i, "an HTML page"],
  [/^<\?xml/, "an XML document"],
  [/^[[{]\s*["{[\]}]/, "a JSON document"],
];
