import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const unshare = ["--mount", "--propagation", "private"];
const canMount = process.getuid?.() === 0 && spawnSync("unshare", [...unshare, "true"]).status === 0;

test.skipIf(!canMount)("a full disk takes no byte until it is emptied, and no disk is left behind", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "v2j-disks-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const source = `
    import { readdirSync, writeFileSync } from "node:fs";
    import { openDisks } from ${JSON.stringify(import.meta.resolve("./open-disks.ts"))};
    const disks = await openDisks("${dataDir}", ["api-1"]);
    const write = (path) => {
      try {
        writeFileSync("${dataDir}/" + path, "x");
        return "written";
      } catch (error) {
        return error.code;
      }
    };
    const said = [];
    for (const [use, path] of [["storage", "storage/a"], ["scratch", "scratch/a"], ["log", "logs/api-1.log"]]) {
      const empty = disks.fill(use);
      said.push(write(path));
      await empty();
      said.push(write(path));
    }
    said.push(...readdirSync("${dataDir}/storage"));
    await disks.close();
    console.log(JSON.stringify([...said, ...readdirSync("${dataDir}/disks")]));`;
  const node = [process.execPath, "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)("unshare", [...unshare, ...node]);
  expect(JSON.parse(stdout)).toEqual([...Array(3).fill(["ENOSPC", "written"]).flat(), "a"]);
});
