import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { openClocks } from "./clocks.ts";
import { continueOnExit, listProcesses, processTree } from "./processes.ts";

test("the tree of a process contains its descendants and no other process", async () => {
  const script = "sh -c 'echo $$; sleep 60 & echo $!; wait' & echo $!; wait";
  const parent = spawn("sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const pid = Number(parent.pid);
  onTestFinished(() => void process.kill(-pid, "SIGKILL"));
  const descendants = new Set<number>();
  const lines = createInterface({ input: parent.stdout });
  lines.on("line", (line) => descendants.add(Number(line)));
  while (descendants.size < 2) await once(lines, "line");
  expect(new Set(await processTree([pid]))).toEqual(descendants);
});

async function stoppedProcess() {
  const { pid = 0 } = spawn("sleep", ["60"], { stdio: "ignore" });
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  process.kill(pid, "SIGSTOP");
  await expect.poll(() => stateOf(pid)).toBe("T");
  return pid;
}

async function stateOf(pid: number): Promise<string | undefined> {
  return (await listProcesses()).find((each) => each.pid === pid)?.state.slice(0, 1);
}

test("stopped processes continue when the function is called", async () => {
  const pid = await stoppedProcess();
  const thaw = continueOnExit([2 ** 30, pid]);
  expect(await stateOf(pid)).toBe("T");
  await thaw();
  await expect.poll(() => stateOf(pid)).toBe("S");
});

test("stopped processes continue when the process that stopped them is killed", async () => {
  const pid = await stoppedProcess();
  const source = `import { continueOnExit } from ${JSON.stringify(import.meta.resolve("./processes.ts"))};
    continueOnExit([${pid}]); console.log("stopped"); setInterval(() => {}, 1000);`;
  const args = ["--input-type=module", "--eval", source];
  const killer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(killer.stdout, "data");
  expect(await stateOf(pid)).toBe("T");
  killer.kill("SIGKILL");
  await expect.poll(() => stateOf(pid)).toBe("S");
});

test("the clock of a process jumps by what its file says, and back", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "v2j-clock-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const clocks = openClocks(dataDir, "");
  const source = `process.stdin.on("data", () => {
    console.log(JSON.stringify([Date.now(), +new Date(), Date.parse(Date()), +new Date(5), new Date() instanceof Date]));
  })`;
  const env = { ...process.env, ...clocks.settingsOf({ name: "worker-1" }) };
  const child = spawn(process.execPath, ["--eval", source], { env, stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  /** Returns the error of the process's clock in minutes, as the process sees it. */
  const ask = async () => {
    child.stdin.write("?");
    const [now, made, text, five, isDate] = JSON.parse(String((await once(child.stdout, "data"))[0])) as number[];
    expect([five, isDate]).toEqual([5, true]);
    return [now, made, text].map((ms = 0) => Math.round((ms - Date.now()) / 60_000) + 0);
  };
  expect(await ask()).toEqual([0, 0, 0]);
  clocks.shift("worker-1", 3_600_000);
  await expect.poll(ask).toEqual([60, 60, 60]);
  clocks.shift("worker-1", -7_200_000);
  await expect.poll(ask).toEqual([-120, -120, -120]);
  clocks.shift("worker-1", 0);
  await expect.poll(ask).toEqual([0, 0, 0]);
});

const unshare = ["--mount", "--propagation", "private"];
const canMount = process.getuid?.() === 0 && spawnSync("unshare", [...unshare, "true"]).status === 0;

test.skipIf(!canMount)("a full disk takes no byte until it is emptied, and no disk is left behind", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "v2j-disks-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const source = `
    import { readdirSync, writeFileSync } from "node:fs";
    import { openDisks } from ${JSON.stringify(import.meta.resolve("./disks.ts"))};
    process.chdir("${dataDir}");
    const disks = await openDisks("${dataDir}", ["api-1"]);
    const said = [];
    const write = (path) => {
      try {
        writeFileSync(path, "x");
        said.push("written");
      } catch (error) {
        said.push(error.code);
      }
    };
    for (const [use, path] of [["storage", "storage/a"], ["scratch", "scratch/a"], ["log", "logs/api-1.log"]]) {
      const empty = disks.fill(use);
      write(path);
      await empty();
      write(path);
    }
    said.push(...readdirSync("storage"));
    await disks.close();
    console.log(JSON.stringify([...said, ...readdirSync("disks")]));`;
  const node = [process.execPath, "--input-type=module", "--eval", source];
  const { stdout } = await promisify(execFile)("unshare", [...unshare, ...node]);
  expect(JSON.parse(stdout)).toEqual([...Array(3).fill(["ENOSPC", "written"]).flat(), "a"]);
});
