/**
 * Recognises files that are not videos but are often sent as videos, by mistake or on purpose. Uses their first bytes.
 *
 * @returns a name such as "an HTML page", or undefined if the file may be a video.
 */
export function nameNonVideo(firstBytes: Buffer): string | undefined {
  const bytes = firstBytes.toString("latin1");
  const text = bytes.replace(/^\xEF\xBB\xBF/, "").trimStart();
  return (
    signatures.find(([signature]) => bytes.startsWith(signature))?.[1] ??
    texts.find(([pattern]) => pattern.test(text))?.[1] ??
    (/^RIFF....WEBP/s.test(bytes) ? "a WebP image" : undefined)
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
