import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultLimits } from "@video-to-json/contract";
import { findCommand, nginxCommand, nginxConfiguration, repositoryRoot } from "@video-to-json/testing";
import { expect, onTestFinished, test } from "vitest";
import { maxFormBytes } from "../extract/check-before-body.ts";

const directory = join(repositoryRoot, "infra/proxies");
const manifests = readFileSync(join(repositoryRoot, "infra/kubernetes/production.yaml"), "utf8");
const ingressManifest = manifests.split("---\n").find((manifest) => /^kind: Ingress$/m.test(manifest)) ?? "";
const read = (name: string) =>
  name === "ingress.yaml" ? ingressManifest : readFileSync(join(directory, name), "utf8");

function newDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "video-to-json-proxy-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("docs/behind-a-proxy.md shows every file for a proxy word for word", () => {
  const document = readFileSync(join(repositoryRoot, "docs/behind-a-proxy.md"), "utf8");
  const names = [...readdirSync(directory), "ingress.yaml"];
  expect(names).toHaveLength(4);
  for (const name of names) expect(document).toContain(`\n${read(name)}\`\`\`\n`);
});

test("nginx accepts its file", () => {
  const path = newDirectory();
  const server = { directives: read("nginx.conf"), port: 1, upstreamPort: 2 };
  writeFileSync(join(path, "nginx.conf"), nginxConfiguration(server));
  const check = (file: string) =>
    execFileSync(nginxCommand(), ["-t", "-q", "-p", path, "-c", file, "-e", "stderr"], { stdio: "pipe" });
  check("nginx.conf");
  writeFileSync(join(path, "wrong.conf"), nginxConfiguration({ ...server, directives: "proxy_read_timeouts 1s;" }));
  expect(() => check("wrong.conf")).toThrow(/unknown directive/);
});

test("Caddy accepts its file", () => {
  const path = newDirectory();
  const caddy = findCommand("caddy", ["/opt/homebrew/bin"]) ?? "caddy";
  const env = { PATH: process.env.PATH, HOME: path };
  const check = (file: string) =>
    execFileSync(caddy, ["validate", "--adapter", "caddyfile", "--config", file], { stdio: "pipe", env });
  check(join(directory, "Caddyfile"));
  writeFileSync(join(path, "wrong"), "api.example.com {\n  reverse_proxies api:3000\n}\n");
  expect(() => check(join(path, "wrong"))).toThrow(/reverse_proxies/);
});

test("the files allow the largest upload, do not buffer it, and wait as long as a job may take", () => {
  const [nginx, ingress, caddy, alb] = ["nginx.conf", "ingress.yaml", "Caddyfile", "aws-alb.sh"].map(read);
  const number = (text: string | undefined, pattern: RegExp) => Number(pattern.exec(text ?? "")?.[1]);
  const bodies = [
    number(nginx, /client_max_body_size (\d+)m;/),
    number(ingress, /proxy-body-size: "?(\d+)m/),
    number(caddy, /max_size (\d+)MiB/),
  ];
  for (const mebibytes of bodies) expect(mebibytes * 2 ** 20).toBeGreaterThan(maxFormBytes(defaultLimits));
  const waits = [
    number(nginx, /proxy_read_timeout (\d+)s;/),
    number(ingress, /proxy-read-timeout: "?(\d+)/),
    number(alb, /deregistration_delay\.timeout_seconds,Value=(\d+)/),
  ];
  // A caller is answered half a minute after its job's deadline at the latest.
  for (const seconds of waits) expect(seconds).toBeGreaterThan(defaultLimits.jobTimeoutSeconds + 30);
  expect(nginx).toContain("proxy_request_buffering off;");
  expect(ingress).toContain('proxy-request-buffering: "off"');
});
