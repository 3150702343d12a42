import { fillRandomly, type MadeFile } from "./damaged-videos.ts";

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

/** Files that are not videos, under a video's name. */
export const fakeVideos: readonly MadeFile[] = contents.map(([name, file, content]) => ({
  name,
  file,
  expect: { ok: false, code: "media_unreadable" },
  make: async () => Buffer.from(content),
}));

function randomBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  fillRandomly(bytes);
  return bytes;
}
