import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

// A file system of one megabyte that only this child process sees. It needs Linux and the right to create a namespace.
const withDisk = (options: string) => [
  ...["--user", "--map-root-user", "--mount", "sh", "-c", `mount -t tmpfs -o ${options} t /mnt && exec "$@"`, "sh"],
];
const canCreateDisks = await promisify(execFile)("unshare", [...withDisk("size=1m"), "true"]).then(
  () => true,
  () => false,
);

const script = `
  import { randomUUID } from "node:crypto";
  import { readdirSync, rmSync, writeFileSync } from "node:fs";
  import { openStorage, StorageUnavailable } from ${JSON.stringify(fileURLToPath(new URL("../index.ts", import.meta.url)))};
  const storage = await openStorage("file:///mnt/objects");
  async function* bytes(chunks) { for (let i = 0; i < chunks; i++) yield new Uint8Array(65536); }
  const put = (chunks) => storage.put(randomUUID(), bytes(chunks), { maxBytes: 1e9 }).catch((error) => error);
  // A disk without space for another file is already full.
  if (process.argv[1] === "files") writeFileSync("/mnt/other", "");
  const thrown = await put(process.argv[1] === "files" ? 1 : 32);
  const { code, retryAfterSeconds, cause } = thrown;
  const left = readdirSync("/mnt/objects");
  rmSync("/mnt/other", { force: true });
  const { bytes: small } = await put(1);
  console.log(JSON.stringify({ typed: thrown instanceof StorageUnavailable, code, retryAfterSeconds, cause: cause?.code, left, small }));
`;

test.runIf(canCreateDisks).each([
  ["bytes", "size=1m"],
  ["files", "nr_inodes=3"],
])(
  "a disk without room for more %s fails a put as StorageUnavailable and leaves nothing; once there is room, a put succeeds",
  async (what, options) => {
    const node = [process.execPath, "--input-type=module", "-e", script, what];
    const { stdout } = await promisify(execFile)("unshare", [...withDisk(options), ...node]);
    const full = { typed: true, code: "provider_unavailable", retryAfterSeconds: 60, cause: "ENOSPC", left: [] };
    expect(JSON.parse(stdout)).toEqual({ ...full, small: 65_536 });
  },
);

test.runIf(canCreateDisks)("a disk that has become read-only fails a put as StorageUnavailable", async () => {
  const readOnly = `
    import { execFileSync } from "node:child_process";
    import { randomUUID } from "node:crypto";
    import { openStorage } from ${JSON.stringify(fileURLToPath(new URL("../index.ts", import.meta.url)))};
    const storage = await openStorage("file:///mnt/objects");
    await storage.ready();
    execFileSync("mount", ["-o", "remount,ro", "/mnt"]);
    const { code, cause } = await storage.put(randomUUID(), [Buffer.alloc(9)], { maxBytes: 9 }).catch((error) => error);
    console.log(JSON.stringify([code, cause?.code]));
  `;
  const node = [process.execPath, "--input-type=module", "-e", readOnly];
  const { stdout } = await promisify(execFile)("unshare", [...withDisk("size=1m"), ...node]);
  expect(JSON.parse(stdout)).toEqual(["provider_unavailable", "EROFS"]);
});
