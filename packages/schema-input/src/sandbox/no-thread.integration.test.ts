import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const sandboxFile = new URL("./open-schema-sandbox.ts", import.meta.url).href;

// Every descriptor that the process may have is taken; then some are given back.
const crowded = `
  import { closeSync, openSync } from "node:fs";
  import { openSchemaSandbox } from ${JSON.stringify(sandboxFile)};
  const sandbox = openSchemaSandbox({ limits: { maxSchemaBytes: 1000, maxSchemaDepth: 10, maxSchemaValues: 100 }, threads: 2 });
  const compile = () => sandbox.compile('{"a":"string"}').then(() => "compiled", ({ code }) => code);
  const outcomes = [];
  outcomes.push(await compile());
  const taken = [];
  try { for (;;) taken.push(openSync("/dev/null")); } catch {}
  const both = [compile(), compile()];
  outcomes.push(...(await Promise.all(both)).sort());
  for (const descriptor of taken) closeSync(descriptor);
  outcomes.push(await compile());
  console.log(outcomes.join(" "));
  await sandbox.close();
`;

test("a thread that cannot be started fails the one task that needed it, as a fault of the moment", async () => {
  const node = `ulimit -n 80; exec "$0" --input-type=module -e "$1"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", node, process.execPath, crowded], { timeout: 60_000 });
  expect(stdout.trim()).toBe("compiled compiled provider_unavailable compiled");
}, 70_000);
