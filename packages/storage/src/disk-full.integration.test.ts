import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

// A file system of one megabyte, seen by this child alone; it needs Linux and the right to make a name space.
const disk = (options: string) => [
  ...["--user", "--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs -o ${options} t /mnt && exec "$@"`, "sh"],
];
const canMakeDisks = await promisify(execFile)("unshare", [...disk("size=1m"), "true"]).then(
  () => true,
  () => false,
);

const script = `
  import { randomUUID } from "node:crypto";
  import { readdirSync, rmSync, writeFileSync } from "node:fs";
  import { openStorage, StorageUnavailable } from ${JSON.stringify(fileURLToPath(new URL("./index.ts", import.meta.url)))};
  const storage = openStorage("file:///mnt/objects");
  async function* bytes(chunks) { for (let i = 0; i < chunks; i++) yield new Uint8Array(65536); }
  const put = (chunks) => storage.put(randomUUID(), bytes(chunks), { maxBytes: 1e9 }).catch((error) => error);
  // Where no file can be made, another holds its place.
  if (process.argv[1] === "files") writeFileSync("/mnt/other", "");
  const thrown = await put(process.argv[1] === "files" ? 1 : 32);
  const { code, retryAfterSeconds, cause } = thrown;
  const left = readdirSync("/mnt/objects");
  rmSync("/mnt/other", { force: true });
  const { bytes: small } = await put(1);
  console.log(JSON.stringify({ typed: thrown instanceof StorageUnavailable, code, retryAfterSeconds, cause: cause?.code, left, small }));
`;

test.runIf(canMakeDisks).each([
  ["bytes", "size=1m"],
  ["files", "nr_inodes=3"],
])(
  "a disk without room for more %s is told as trouble that will pass, what was written is taken back, and once there is room a put succeeds",
  async (what, options) => {
    const node = [process.execPath, "--input-type=module", "-e", script, what];
    const { stdout } = await promisify(execFile)("unshare", [...disk(options), ...node]);
    const full = { typed: true, code: "provider_unavailable", retryAfterSeconds: 60, cause: "ENOSPC", left: [] };
    expect(JSON.parse(stdout)).toEqual({ ...full, small: 65_536 });
  },
);

test.runIf(canMakeDisks)("a disk that has become read-only is told as trouble that will pass", async () => {
  const readOnly = `
    import { execFileSync } from "node:child_process";
    import { randomUUID } from "node:crypto";
    import { openStorage } from ${JSON.stringify(fileURLToPath(new URL("./index.ts", import.meta.url)))};
    const storage = openStorage("file:///mnt/objects");
    await storage.ready();
    execFileSync("mount", ["-o", "remount,ro", "/mnt"]);
    const { code, cause } = await storage.put(randomUUID(), [Buffer.alloc(9)], { maxBytes: 9 }).catch((error) => error);
    console.log(JSON.stringify([code, cause?.code]));
  `;
  const node = [process.execPath, "--input-type=module", "-e", readOnly];
  const { stdout } = await promisify(execFile)("unshare", [...disk("size=1m"), ...node]);
  expect(JSON.parse(stdout)).toEqual(["provider_unavailable", "EROFS"]);
});
