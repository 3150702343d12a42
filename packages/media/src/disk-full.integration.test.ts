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
  ["a copy", "copied.mkv", "256k"],
  ["an encoded copy", "encoded.mkv", "256k"],
  ["a copy so small that it is written in one piece at the end", "short.mkv", "4k"],
] as const;

/** Small file systems that only one child process sees. They need Linux and the right to create a namespace. */
const mounts = cases.map(
  ([, , size], index) => `mkdir /mnt/${index} && mount -t tmpfs -o size=${size} t /mnt/${index}`,
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
  import { readdirSync } from "node:fs";
  import { findConfinement, measure, prepareForProvider } from ${media};
  const readable = ${readable};
  const [cases, folder] = process.argv.slice(1);
  const confinement = await findConfinement();
  const endings = [];
  for (const [index, [, file]] of JSON.parse(cases).entries()) {
    const [disk, path] = ["/mnt/" + index, folder + "/" + file];
    const work = async () => prepareForProvider(path, await measure(path, { maxVideoSeconds: 600, confinement }), { readable, scratchDir: disk, confinement });
    const { code, retryAfterSeconds } = await work().catch((error) => error);
    endings.push({ code, retryAfterSeconds, left: readdirSync(disk) });
  }
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
