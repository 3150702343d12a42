import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { composeVariables, setByCompose } from "./compose-variables.ts";
import { declaration } from "./declaration.ts";
import { envExample } from "./documentation.ts";
import { limitSettings, providerSettings, readSettings } from "./read-settings.ts";

const root = join(import.meta.dirname, "../../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const composeFiles = readdirSync(join(root, "infra")).filter((name) => /^compose\b.*\.yaml$/.test(name));

/** Returns the variables that a service of compose.yaml passes on, with those of the blocks that it merges. */
function passedOn(service: string): Set<string> {
  const text = read("infra/compose.yaml");
  const blocks = new Map<string, string>();
  for (const [, name = "", body = ""] of text.matchAll(/^x-[\w-]+: &([\w-]+)\n((?:(?: {2}.*| *#.*)?\n)+)/gm)) {
    blocks.set(name, body);
  }
  const ofService = new RegExp(`^  ${service}:\\n((?:(?: {4}.*)?\\n)+)`, "m").exec(text)?.[1] ?? "";
  const environment = /^ {4}environment:(?: \*([\w-]+))?\n((?: {6}.*\n)*)/m.exec(ofService);
  const names = new Set<string>();
  const collect = (body: string) => {
    for (const [, name] of body.matchAll(/^ +([A-Z][A-Z_0-9]+):/gm)) names.add(name ?? "");
    for (const [, merged] of body.matchAll(/(?<=<<: .*)\*([\w-]+)/g)) collect(blocks.get(merged ?? "") ?? "");
  };
  collect(`${environment?.[2]}${environment?.[1] ? `<<: *${environment[1]}` : ""}`);
  return names;
}

test.for(["api", "worker"])("compose.yaml passes every setting of the process %s on", (app) => {
  const own = [...read(`apps/${app}/src/config.ts`).matchAll(/^ {4}"([A-Z_]+)",$/gm)].map(([, name]) => name ?? "");
  expect(own).toContain("DATABASE_URL");
  const fromImage = ["FFMPEG_DIRECTORY", "SCRATCH_DIR"];
  const shared = [...(app === "worker" ? providerSettings : []), ...limitSettings];
  const missing = [...own, ...shared].filter((name) => !passedOn(app).has(name) && !fromImage.includes(name));
  expect(missing).toEqual([]);
});

test("compose.yaml passes every setting of the provider on to the operator's commands", () => {
  expect([...passedOn("admin")]).toEqual(expect.arrayContaining([...providerSettings]));
});

test("compose.yaml gives a process time for its last request or job, although PostgreSQL is silent", () => {
  const graceOf = (service: string) => {
    const [, text = ""] =
      new RegExp(`^  ${service}:\\n((?:(?: {4}.*)?\\n)+)`, "m").exec(read("infra/compose.yaml")) ?? [];
    return Number(/stop_grace_period: (\d+)s/.exec(text)?.[1]);
  };
  const settings = readSettings({}, ["SHUTDOWN_GRACE_SECONDS", "DRAIN_SECONDS", "JOB_TIMEOUT_SECONDS"]);
  expect(graceOf("worker")).toBeGreaterThanOrEqual(settings.SHUTDOWN_GRACE_SECONDS + 30);
  expect(graceOf("api")).toBeGreaterThan(2 * settings.DRAIN_SECONDS + settings.JOB_TIMEOUT_SECONDS + 30);
});

test("`migrate` gets the variables that it reads", () => {
  const names = ["DATABASE_URL", "OWNER_DATABASE_URL", "FIRST_ACCOUNT_EMAIL", "FREE_SECONDS", "API_KEY_PREFIX"];
  expect([...passedOn("migrate")]).toEqual(expect.arrayContaining(names));
});

test(".env.example names every variable that the compose files read, and no other", () => {
  const named = new Set([...envExample().matchAll(/^#?([A-Z][A-Z_0-9]+)=/gm)].map(([, name]) => name));
  const used = composeFiles.flatMap((file) => {
    const text = read(`infra/${file}`);
    return [...text.matchAll(/\$\{([A-Z_0-9]+)|^ +([A-Z][A-Z_0-9]+):$/gm)].map(([, a, b]) => a ?? b ?? "");
  });
  // Images of other projects, and variables that only a release build sets, need no line.
  const seldom = /^\w+_IMAGE$|^REVISION$|^POSTGRES_VOLUME_PATH$|^HTTPS?_LISTEN$|^AWS_/;
  expect([...new Set(used)].filter((name) => !named.has(name) && !seldom.test(name))).toEqual([]);
  const known = [...Object.keys(declaration).filter((name) => !setByCompose.has(name)), ...variables()];
  expect([...named].sort()).toEqual(known.sort());
});

function variables(): string[] {
  return Object.values(composeVariables).flatMap((list) => list.map(({ name }) => name));
}
