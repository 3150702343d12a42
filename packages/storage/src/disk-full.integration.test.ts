import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

// A file system of one megabyte, seen by this child alone; it needs Linux and the right to make a name space.
const smallDisk = ["--user", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs -o size=1m t /mnt && exec "$@"'];
const canMakeDisks = await promisify(execFile)("unshare", [...smallDisk, "sh", "true"]).then(
  () => true,
  () => false,
);

const script = `
  import { randomUUID } from "node:crypto";
  import { readdirSync } from "node:fs";
  import { openStorage, StorageFull } from ${JSON.stringify(fileURLToPath(new URL("./index.ts", import.meta.url)))};
  const storage = openStorage("file:///mnt/objects");
  async function* twoMegabytes() { for (let i = 0; i < 32; i++) yield new Uint8Array(65536); }
  const thrown = await storage.put(randomUUID(), twoMegabytes(), { maxBytes: 1e9 }).catch((error) => error);
  console.log(JSON.stringify({ typed: thrown instanceof StorageFull, cause: thrown.cause?.code, left: readdirSync("/mnt/objects") }));
`;

test.runIf(canMakeDisks)("a full disk is told as StorageFull, and what was written is taken back", async () => {
  const { stdout } = await promisify(execFile)("unshare", [
    ...smallDisk,
    "sh",
    process.execPath,
    "--input-type=module",
    "-e",
    script,
  ]);
  expect(JSON.parse(stdout)).toEqual({ typed: true, cause: "ENOSPC", left: [] });
});
