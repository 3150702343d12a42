import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const sources = join(import.meta.dirname, "..");
const flags = execFileSync(process.execPath, [join(import.meta.dirname, "print-configure-flags.ts")], {
  encoding: "utf8",
});
const product = globSync("**/*.ts", { cwd: sources })
  .filter((name) => !/\.(test|fixture|harness)\.ts$/.test(name))
  .map((name) => readFileSync(join(sources, name), "utf8"))
  .join("\n");

const namesIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));
const missingFrom = (has: Set<string>, wanted: Set<string>) => [...wanted].filter((name) => !has.has(name));
const built = (kind: string) => namesIn(flags, new RegExp(`^--enable-${kind}=(\\w+)$`, "gm"));

// The gate uses the machine's own ffmpeg, which is complete. `infra/try` proves the same with the image.
describe("the minimal build has what the product names", () => {
  test("every filter", () => {
    // The name of a filter follows one of these marks. The names that are deleted are options that follow them too.
    const named = namesIn(product, /["'`,;\]]([a-z][a-z0-9_]*)=[^=>]/g);
    for (const option of ["w", "q", "dl", "stream", "packet"]) named.delete(option);
    expect(named.size).toBeGreaterThan(8);
    expect(missingFrom(built("filter"), named)).toEqual([]);
  });

  test("every encoder", () => {
    const named = namesIn(product, /"-c:[av]", "(\w+)"/g);
    named.delete("copy");
    // ffmpeg calls libvpx_vp8 libvpx.
    const encoders = new Set([...built("encoder")].map((name) => name.replace(/_vp8$/, "")));
    expect(named.size).toBeGreaterThan(4);
    expect(missingFrom(encoders, named)).toEqual([]);
  });
});
