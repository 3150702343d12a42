import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryRoot } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";

test("the bundle and the chart of a release need no sources: images have its version, and no file is a link", () => {
  const directory = mkdtempSync(join(tmpdir(), "release-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const out = join(directory, "out");
  execFileSync(join(repositoryRoot, "scripts/release"), ["--out", out, "--only", "chart,bundle"], {
    env: { ...process.env, ALLOW_DIRTY: "1" },
    stdio: "pipe",
  });
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, "packages/sdk/package.json"), "utf8"));
  const unpack = (name: string) => execFileSync("tar", ["-xzf", join(out, name), "-C", directory]);
  unpack(`video-to-json-chart-${version}.tgz`);
  unpack(`video-to-json-compose-${version}.tgz`);
  expect(lstatSync(join(directory, "video-to-json/files/alerts.yml")).isFile()).toBe(true);
  const bundle = join(directory, `video-to-json-${version}`, "infra");
  const { services } = parse(readFileSync(join(bundle, "compose.yaml"), "utf8"), { merge: true });
  for (const name of ["api", "worker", "migrate", "admin"]) {
    expect(services[name].image).toContain(`\${VERSION:-${version}}`);
    expect(services[name]).not.toHaveProperty("build");
  }
  for (const name of ["compose.archive.yaml", "archive", ".env.example", "prometheus/alerts.yml"]) {
    expect([name, existsSync(join(bundle, name))]).toEqual([name, true]);
  }
  expect(readFileSync(join(out, "notes.md"), "utf8")).toMatch(/Migrates: .*\n- Roll back to: /);
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8");
  expect(sums.match(/^[0-9a-f]{64} {2}/gm)).toHaveLength(3);
});
