import { Problem } from "@video-to-json/contract";
import { expect, test } from "vitest";
import { checkVideoUrl } from "./check-video-url.ts";

function codeOf(text: string, allowHosts: string[] = []): string {
  try {
    checkVideoUrl(text, { allowHosts });
    return "ok";
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
}

test.each([
  "https://example.com/video.mp4",
  "http://example.com:8080/a b.mp4?x=1#y",
  " https://EXAMPLE.com/ ",
  "https://8.8.8.8/video",
  "https://[2606:4700::1111]/video",
  "https://bücher.example/video",
])("%s may be fetched", (text) => {
  expect(codeOf(text)).toBe("ok");
});

test.each([
  ...["", "video.mp4", "/video.mp4", "//example.com/video.mp4", "example.com/video.mp4", "http:example.com"],
  ...["http://", "https:///video", "file:///etc/passwd", "ftp://example.com/v", "data:video/mp4;base64,AAAA"],
  ...["javascript:alert(1)", "http://exa mple.com/", "http://example.com:99999/", "http://exam\nple.com/"],
  `https://example.com/${"a".repeat(8200)}`,
])("%s is no absolute http(s) URL", (text) => {
  expect(codeOf(text)).toBe("invalid_request");
});

test.each([
  ...["http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://0177.0.0.1/"],
  ...["http://0/", "http://10.1.2.3/", "http://172.31.255.255/", "http://192.168.1.1/", "http://169.254.169.254/"],
  ...[
    "http://100.64.0.1/",
    "http://192.0.0.192/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
  ],
  ...["http://168.63.129.16/", "http://100.100.100.200/", "http://127.0.0.1./", "http://①②⑦.⓪.⓪.①/"],
  ...["http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::127.0.0.1]/", "http://[fe80::1]/"],
  ...["http://[fc00::1]/", "http://[fd00:ec2::254]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/"],
  ...[
    "http://[2001:db8::1]/",
    "http://[2001::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[::ffff:8.8.8.8]/",
  ],
  ...["http://localhost/", "http://LOCALHOST./", "http://a.localhost/", "http://metadata.google.internal/"],
  ...["http://0x7f.1/", "http://017700000001/", "http://0300.0250.1.1/", "http://192.88.99.1/", "http://240.0.0.1/"],
  ...["http://203.0.113.7/", "http://198.51.100.1/", "http://192.0.2.1/", "http://[::ffff:a9fe:a9fe]/"],
  ...["http://[::ffff:0:7f00:1]/", "http://[64:ff9b:1::1]/", "http://[100::1]/", "http://[3fff::1]/"],
  ...["http://app.lan/", "http://x.home.arpa/", "http://wiki.intranet/", "http://a.localdomain/"],
  ...["http://printer.local/", "http://user:secret@example.com/", "http://user@example.com/"],
  ...["http://example.com:22/", "http://example.com:6379/", "https://example.com:8000/"],
])("%s is never fetched", (text) => {
  expect(codeOf(text)).toBe("video_unreachable");
});

test("a listed host and port is exempt, and only that pair", () => {
  const allowHosts = ["127.0.0.1:9000", "Intranet.local:80", "[::1]:8000"];
  expect(codeOf("http://127.0.0.1:9000/v", allowHosts)).toBe("ok");
  expect(codeOf("http://intranet.local/v", allowHosts)).toBe("ok");
  expect(codeOf("http://[::1]:8000/v", allowHosts)).toBe("ok");
  expect(codeOf("http://127.0.0.1:9001/v", allowHosts)).toBe("video_unreachable");
  expect(codeOf("https://intranet.local/v", allowHosts)).toBe("video_unreachable");
  expect(codeOf("http://user:secret@127.0.0.1:9000/v", allowHosts)).toBe("video_unreachable");
});
