/** The playlists that every run checks, at least one of each format family. */
export const corePlaylists = ["HLS of a file in the same directory", "ffconcat", "DASH", "SDP", "a cue sheet"];

const bait = "plain.ts";

/**
 * Playlists, manifests and other text files that make ffmpeg open other files: name and content. `@` is the directory
 * of the file.
 */
export const hostilePlaylists: readonly (readonly [name: string, text: string])[] = [
  ["HLS of a file in the same directory", `#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\n${bait}\n#EXT-X-ENDLIST\n`],
  [
    "HLS of a file by its absolute path",
    "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\n@/plain.ts\n#EXT-X-ENDLIST\n",
  ],
  ["HLS of a file URL", "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\nfile://@/plain.ts\n#EXT-X-ENDLIST\n"],
  ["HLS of an http URL", "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\nhttp://127.0.0.1:9/a.ts\n#EXT-X-ENDLIST\n"],
  [
    "HLS of a data URL",
    "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\ndata:video/mp2t;base64,AAAA\n#EXT-X-ENDLIST\n",
  ],
  ["HLS of a concat URL", "#EXTM3U\n#EXTINF:5.0,\nconcat:plain.ts|plain.ts\n#EXT-X-ENDLIST\n"],
  [
    "HLS with a key in another file",
    `#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="@/plain.ts"\n#EXTINF:5.0,\n${bait}\n#EXT-X-ENDLIST\n`,
  ],
  [
    "HLS of other playlists",
    '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nother.m3u8\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="o.m3u8"\n',
  ],
  ["HLS after a byte order mark", `\ufeff#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5.0,\n${bait}\n`],
  ["HLS with CRLF line ends", `#EXTM3U\r\n#EXT-X-TARGETDURATION:5\r\n#EXTINF:5.0,\r\n${bait}\r\n`],
  ["ffconcat", "ffconcat version 1.0\nfile plain.ts\nfile plain.ts\n"],
  ["ffconcat of an absolute path", "ffconcat version 1.0\nfile '@/plain.ts'\n"],
  ["ffconcat of an http URL", "ffconcat version 1.0\nfile http://127.0.0.1:9/a.ts\n"],
  ["ffconcat of a data URL", "ffconcat version 1.0\nfile 'data:video/mp2t;base64,AAAA'\n"],
  ["ffconcat without its first line", "file plain.ts\nfile plain.ts\n"],
  [
    "DASH",
    '<?xml version="1.0"?><MPD type="static" mediaPresentationDuration="PT5S"><Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1"><BaseURL>plain.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>',
  ],
  [
    "DASH without an XML declaration",
    "<MPD><Period><AdaptationSet><Representation><BaseURL>@/plain.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>",
  ],
  [
    "SDP",
    "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=x\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=video 5004 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n",
  ],
  [
    "Smooth Streaming",
    '<?xml version="1.0"?><SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="50000000"/>',
  ],
  ["SMIL", '<smil><body><video src="plain.mp4"/></body></smil>'],
  ["a Windows Media playlist", '<asx version="3.0"><entry><ref href="plain.mp4"/></entry></asx>'],
  ["a reference list", "[Reference]\nRef1=http://127.0.0.1:9/plain.wmv\n"],
  ["PLS", "[playlist]\nNumberOfEntries=1\nFile1=plain.mp4\n"],
  [
    "a QuickTime media link",
    '<?xml version="1.0"?><?quicktime type="application/x-quicktime-media-link"?><embed src="plain.mp4"/>',
  ],
  ["a cue sheet", 'FILE "plain.mp4" WAVE\n  TRACK 01 AUDIO\n    INDEX 01 00:00:00\n'],
  ["an AviSynth script", 'AviSource("plain.avi")\n'],
  ["an ffmpeg metadata file", ";FFMETADATA1\ntitle=x\n"],
  ["an image sequence", "image2 %03d.png plain.ts\n"],
];
