import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const index = fileURLToPath(new URL("../index.ts", import.meta.url));

/** Returns the modules of OpenTelemetry's SDK that a process has read after it opened its traces. */
async function loadedModules(endpoint: string): Promise<string[]> {
  const source = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    const { openTracing } = await import(${JSON.stringify(index)});
    const tracing = await openTracing({ endpoint: ${endpoint}, service: "test" });
    tracing.begin("work").run(() => {});
    console.log(JSON.stringify([tracing.isOn, loaded.filter((url) => url.includes("@opentelemetry") && !url.includes("+api@"))]));
    process.exit(0);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", source]);
  const [, modules] = JSON.parse(stdout) as [boolean, string[]];
  return modules;
}

test("the SDK of OpenTelemetry is loaded with an endpoint, and not without one", async () => {
  const [off, on] = await Promise.all([loadedModules("undefined"), loadedModules('"http://127.0.0.1:1"')]);
  expect(off).toEqual([]);
  expect(on.length).toBeGreaterThan(4);
});
