import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const sandboxFile = new URL("./open-schema-sandbox.ts", import.meta.url).href;

/** A process in which every descriptor that it may have is taken for a while. Gives what it printed. */
async function inCrowdedProcess(script: string): Promise<string> {
  const code = `
    import { closeSync, openSync } from "node:fs";
    import { openSchemaSandbox } from ${JSON.stringify(sandboxFile)};
    const limits = { maxSchemaBytes: 1000, maxSchemaDepth: 10, maxSchemaValues: 100 };
    const open = () => openSchemaSandbox({ limits, threads: 2 });
    const compileIn = (sandbox) => sandbox.compile('{"a":"string"}').then(() => "compiled", ({ code }) => code);
    const taken = [];
    const crowd = () => { try { for (;;) taken.push(openSync("/dev/null")); } catch {} };
    const makeRoom = () => { for (const descriptor of taken.splice(0)) closeSync(descriptor); };
    ${script}
  `;
  const node = `ulimit -n 80; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", node, process.execPath, code], { timeout: 60_000 });
  return stdout.trim();
}

test("where another thread cannot be started, a task is done in the one there is, or fails as a fault of the moment", async () => {
  const outcomes = await inCrowdedProcess(`
    const sandbox = open();
    const outcomes = [await compileIn(sandbox)];
    crowd();
    outcomes.push(...(await Promise.all(Array.from({ length: 4 }, () => compileIn(sandbox)))));
    makeRoom();
    outcomes.push(await compileIn(sandbox));
    console.log(outcomes.join(" "));
    await sandbox.close();
  `);
  expect(outcomes).toMatch(/^compiled( compiled| provider_unavailable){4} compiled$/);
});

test("where no thread can be started, a task fails at once, as a fault of the moment", async () => {
  const outcomes = await inCrowdedProcess(`
    crowd();
    const sandbox = open();
    const outcomes = [await compileIn(sandbox), ...(await Promise.all([compileIn(sandbox), compileIn(sandbox)]))];
    makeRoom();
    outcomes.push(await compileIn(sandbox));
    console.log(outcomes.join(" "));
    await sandbox.close();
  `);
  expect(outcomes).toBe("provider_unavailable provider_unavailable provider_unavailable compiled");
});
