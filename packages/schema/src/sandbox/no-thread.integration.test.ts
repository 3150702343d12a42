import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const sandboxFile = new URL("./open-schema-sandbox.ts", import.meta.url).href;

/** Runs a script in a process that can use up its file descriptors. Returns its output. */
async function inProcessWithoutDescriptors(script: string): Promise<string> {
  const code = `
    import { closeSync, openSync } from "node:fs";
    import { openSchemaSandbox } from ${JSON.stringify(sandboxFile)};
    const limits = { maxSchemaBytes: 1000, maxSchemaDepth: 10, maxSchemaValues: 100 };
    const open = () => openSchemaSandbox({ limits, threads: 2 });
    const compileIn = (sandbox, text = '{"type":"object"}') => sandbox.compile(text).then(() => "compiled", ({ code }) => code);
    const taken = [];
    const useDescriptors = () => { try { for (;;) taken.push(openSync("/dev/null")); } catch {} };
    const freeDescriptors = () => { for (const descriptor of taken.splice(0)) closeSync(descriptor); };
    ${script}
  `;
  const node = `ulimit -n 80; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", node, process.execPath, code], { timeout: 60_000 });
  return stdout.trim();
}

test("without a second thread, a task runs in the first one or fails with a transient error", async () => {
  const outcomes = await inProcessWithoutDescriptors(`
    const sandbox = open();
    const outcomes = [await compileIn(sandbox)];
    useDescriptors();
    outcomes.push(...(await Promise.all(Array.from({ length: 4 }, () => compileIn(sandbox)))));
    freeDescriptors();
    outcomes.push(await compileIn(sandbox));
    console.log(outcomes.join(" "));
    await sandbox.close();
  `);
  expect(outcomes).toMatch(/^compiled( compiled| provider_unavailable){4} compiled$/);
});

test("without any thread, a task fails at once with a transient error", async () => {
  const outcomes = await inProcessWithoutDescriptors(`
    useDescriptors();
    const sandbox = open();
    const outcomes = [await compileIn(sandbox), ...(await Promise.all([compileIn(sandbox), compileIn(sandbox)]))];
    freeDescriptors();
    outcomes.push(await compileIn(sandbox));
    console.log(outcomes.join(" "));
    await sandbox.close();
  `);
  expect(outcomes).toBe("provider_unavailable provider_unavailable provider_unavailable compiled");
});

test("a small sketch needs no thread", async () => {
  const outcomes = await inProcessWithoutDescriptors(`
    useDescriptors();
    const sandbox = open();
    const texts = ['{"a":"string"}', '{"a":["0:00|x"]}', '{"a":"' + "x".repeat(900) + '"}'];
    const outcomes = await Promise.all(texts.map((text) => compileIn(sandbox, text)));
    freeDescriptors();
    console.log(outcomes.join(" "));
    await sandbox.close();
  `);
  expect(outcomes).toBe("compiled compiled compiled");
});
