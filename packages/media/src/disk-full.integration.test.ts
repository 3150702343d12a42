import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ffmpeg } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readableMedia } from "./provider-copy/copies.harness.ts";

const run = promisify(execFile);

const cases = [
  ["a download", "fetch", "", "1m"],
  ["a copy", "copy", "copied.mkv", "256k"],
  ["an encoded copy", "copy", "encoded.mkv", "256k"],
  ["a copy so small that it is written in one piece at the end", "copy", "short.mkv", "4k"],
] as const;

/** Small file systems that only one child process sees. They need Linux and the right to create a namespace. */
const mounts = cases.map(
  ([, , , size], index) => `mkdir /mnt/${index} && mount -t tmpfs -o size=${size} t /mnt/${index}`,
);
const withDisks = [
  ...["--user", "--map-root-user", "--mount", "sh", "-c"],
  ...[`mount -t tmpfs t /mnt && ${mounts.join(" && ")} && exec "$@"`, "sh"],
];
const canCreateDisks = await run("unshare", [...withDisks, "true"]).then(
  () => true,
  () => false,
);

const media = JSON.stringify(fileURLToPath(new URL("./index.ts", import.meta.url)));
const readable = JSON.stringify(readableMedia);
const script = `
  import { readdirSync, writeFileSync } from "node:fs";
  import { once } from "node:events";
  import { createServer } from "node:http";
  import { fetchVideo, findConfinement, measure, prepareForProvider } from ${media};
  const readable = ${readable};
  const [cases, folder] = process.argv.slice(1);
  const confinement = await findConfinement();
  const server = createServer((_, response) => response.end(Buffer.alloc(5_000_000, "v"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = "127.0.0.1:" + server.address().port;
  const limits = { maxBytes: 1e9, totalMs: 20_000, minBytesPerSecond: 1, allowHosts: [host] };
  const endings = [];
  for (const [index, [, what, file]] of JSON.parse(cases).entries()) {
    const [disk, path] = ["/mnt/" + index, folder + "/" + file];
    const work = what === "fetch"
      ? () => fetchVideo("http://" + host, disk + "/fetched", limits)
      : async () => prepareForProvider(path, await measure(path, { maxVideoSeconds: 600, confinement }), { readable, scratchDir: disk, confinement });
    const { code, retryAfterSeconds } = await work().catch((error) => error);
    endings.push({ code, retryAfterSeconds, left: readdirSync(disk) });
  }
  server.close();
  console.log(JSON.stringify(endings));
`;

let folder: string;
let endings: unknown[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "scratch-full-"));
  const noise = ["-f", "lavfi", "-i", "testsrc2=size=320x240:duration=2,noise=alls=100:allf=t"];
  await ffmpeg([...noise, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "10", "copied.mkv"], folder);
  await ffmpeg([...noise, "-c:v", "ffv1", "encoded.mkv"], folder);
  const plain = ["-f", "lavfi", "-i", "testsrc=size=64x48:duration=2"];
  await ffmpeg([...plain, "-c:v", "libx264", "short.mkv"], folder);
  if (!canCreateDisks) return;
  const node = [process.execPath, "--input-type=module", "-e", script, JSON.stringify(cases), folder];
  endings = JSON.parse((await run("unshare", [...withDisks, ...node])).stdout);
});
afterAll(() => rm(folder, { recursive: true }));

test.runIf(canCreateDisks).each(cases.map(([what], index) => [what, index] as const))(
  "a disk too small for %s is reported as provider_unavailable, and no file is left",
  (_what, index) => {
    expect(endings[index]).toEqual({ code: "provider_unavailable", retryAfterSeconds: 60, left: [] });
  },
);
