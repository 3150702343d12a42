import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { hostsOfThisMachine, otherPrivateHosts } from "./hostile-hosts.fixture.ts";
import { checkVideoUrl } from "./video-url.ts";

function codeOf(text: string, allowHosts: string[] = []): string {
  try {
    checkVideoUrl(text, { allowHosts });
    return "ok";
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
}

function messageOf(text: string): string {
  try {
    checkVideoUrl(text, { allowHosts: [] });
    return "";
  } catch (error) {
    return String(error);
  }
}

test.each([
  "https://example.com/video.mp4",
  "http://example.com:8080/a b.mp4?x=1#y",
  " https://EXAMPLE.com/ ",
  "https://8.8.8.8/video",
  "https://example.com./video",
  "https://[2606:4700::1111]/video",
  "https://bücher.example/video",
])("%s may be fetched", (text) => {
  expect(codeOf(text)).toBe("ok");
});

test.each([
  ...["", "video.mp4", "/video.mp4", "//example.com/video.mp4", "example.com/video.mp4", "http:example.com"],
  ...["http://", "https:///video", "file:///etc/passwd", "ftp://example.com/v", "data:video/mp4;base64,AAAA"],
  ...["javascript:alert(1)", "http://exa mple.com/", "http://example.com:99999/", "http://exam\nple.com/"],
  ...["file://localhost/etc/passwd", "FILE:///etc/passwd", "gopher://example.com/_GET", "dict://example.com/x"],
  ...["ftps://example.com/v", "sftp://example.com/v", "ws://example.com/v", "rtsp://example.com/v", "s3://bucket/v"],
  ...["concat:a.mp4|b.mp4", "pipe:0", "blob:https://example.com/1", "about:blank", "view-source:http://example.com/"],
  ...["jar:http://example.com/a.zip!/v", "phar://v", "subfile,,start,0,end,9,,:/etc/passwd", "hls+http://example.com/"],
  ...["http://999.999.999.999/", "http://0x100000000/", "http://1.2.3.4.5/", "http://[::1/", "http://[::1]]/"],
  ...["http://[fe80::1%25lo]/", "http://exa<mple.com/", "http://example.com:80:80/", "http://exam\tple.com/"],
  ...["http://exam\0ple.com/", "http:\\\\example.com\\", "https:/example.com/video", "http://\u2028/"],
  ...["http://./", "http://../", "http://.example.com/", "http://example..com/v", "http://example.com../v"],
  `https://example.com/${"a".repeat(8200)}`,
])("%s is not an absolute http(s) URL", (text) => {
  expect(codeOf(text)).toBe("invalid_request");
});

test.each([
  ...[...hostsOfThisMachine, ...otherPrivateHosts].map((host) => `http://${host}/video.mp4`),
  ...["https://127.0.0.1/", "https://[::1]:8443/", "http://localhost:8080/", "http://10.0.0.5:8080/?x=.mp4#8.8.8.8"],
  ...["http://user:secret@example.com/", "http://user@example.com/", "http://:secret@example.com/"],
  ...["http://example.com@127.0.0.1/", "http://example.com:80@127.0.0.1:8080/", "http://127.0.0.1\\@example.com/"],
  ...["http://127.0.0.1#@example.com/", "http://127.0.0.1?@example.com/", "http://example.com%40127.0.0.1@127.0.0.1/"],
  ...["http://example.com:22/", "http://example.com:25/", "http://example.com:6379/", "https://example.com:8000/"],
  ...["http://example.com:0/", "http://example.com:65535/", "http://example.com:5432/", "http://127.0.0.1:1/"],
])("%s is never fetched", (text) => {
  expect(codeOf(text)).toBe("video_unreachable");
});

const pages: [string, RegExp][] = [
  ["https://www.youtube.com/watch?v=abc", /YouTube.*Download the video/],
  ["https://youtu.be/abc", /YouTube/],
  ["https://vimeo.com/12345", /Vimeo/],
  ["https://www.tiktok.com/@a/video/1", /TikTok/],
  ["https://www.instagram.com/reel/abc/", /Instagram/],
  ["https://www.facebook.com/watch/?v=1", /Facebook/],
  ["https://clips.twitch.tv/abc", /Twitch/],
  ["https://www.loom.com/share/abc", /Loom/],
  ["https://1drv.ms/v/s!abc", /OneDrive/],
  ["https://share.icloud.com/photos/abc", /iCloud/],
  ["https://drive.google.com/file/d/abc/view?usp=sharing", /export=download&id=<ID>/],
  ["https://www.dropbox.com/s/abc/clip.mp4?dl=0", /`dl=1`/],
  ["https://eu-central-1.console.aws.amazon.com/s3/object/bucket?prefix=clip.mp4", /aws s3 presign/],
];
test.each(pages)("the page %s is named before a job is made, with the way to the file", (text, advice) => {
  const [code, message] = [codeOf(text), messageOf(text)];
  expect(code).toBe("video_unreachable");
  expect(message).toMatch(advice);
});

test.each([
  "https://drive.google.com/uc?export=download&id=abc",
  "https://www.dropbox.com/s/abc/clip.mp4?dl=1",
  "https://player.vimeo.com/progressive_redirect/playback/1/rendition/720p/file.mp4?signature=a",
  "https://videos.example.com/youtube.com/watch",
  "https://notyoutube.com/clip.mp4",
])("the file %s of a host with pages may be fetched", (text) => {
  expect(codeOf(text)).toBe("ok");
});

test("two addresses and an object of a bucket are refused with what to send", () => {
  expect(messageOf("https://example.com/a.mp4 https://example.com/b.mp4")).toContain("several addresses. Send one.");
  for (const text of ["s3://bucket/a.mp4", "gs://bucket/a.mp4"]) expect(messageOf(text)).toContain("presigned");
});

test("an allowed host is exempt on its port only", () => {
  const allowHosts = ["127.0.0.1:9000", "Intranet.local:80", "[::1]:8000"];
  expect(codeOf("http://127.0.0.1:9000/v", allowHosts)).toBe("ok");
  expect(codeOf("http://intranet.local/v", allowHosts)).toBe("ok");
  expect(codeOf("http://[::1]:8000/v", allowHosts)).toBe("ok");
  expect(codeOf("http://127.0.0.1:9001/v", allowHosts)).toBe("video_unreachable");
  expect(codeOf("https://intranet.local/v", allowHosts)).toBe("video_unreachable");
  expect(codeOf("http://user:secret@127.0.0.1:9000/v", allowHosts)).toBe("video_unreachable");
});
