import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repositoryRoot, runsAllTests } from "@video-to-json/testing";
import { expect, test } from "vitest";

const loopback = "ip link set lo up";
const canIsolate = spawnSync("unshare", ["--net", "sh", "-c", loopback]).status === 0;

// The tests of the provider, the demo and a chaos run, whose audit has the promises of privacy, in a network that ends at this
// machine: the whole service, with its own PostgreSQL and Redis.
const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
const files = ["packages/testing/engines/src/llama", "packages/testing/end-to-end/src/chat-provider"];
const testing = join(repositoryRoot, "packages/testing");
// A short chaos run leaves kinds of faults out, and says so with its exit code.
const chaos = `"$0" ${testing}/chaos/src/main.ts --minutes 0.4 --clients 4 --seed 7 | grep "Every promise was kept."`;
const counters = "cat /proc/net/snmp /proc/net/snmp6 /proc/net/dev";
const script = `${loopback} && "$0" ${vitest} run --project integration ${files.join(" ")} >&2 &&
  "$0" ${testing}/stack/src/demo-main.ts >&2 && ${chaos} >&2 && echo service && ${counters} &&
  echo dial && { "$0" -e 'require("net").connect(80, "192.0.2.1").on("error", () => {})'; ${counters}; }`;

/** The packets of other interfaces than loopback, and the tries to send one that found no route. */
function outside(counted: string) {
  const [names = "", values = ""] = [...counted.matchAll(/^Ip: (.*)$/gm)].map(([, line]) => line ?? "");
  const noRoute = Number(values.split(" ")[names.split(" ").indexOf("OutNoRoutes")]);
  const noRoute6 = Number(/^Ip6OutNoRoutes\s+(\d+)/m.exec(counted)?.[1] ?? 0);
  const packets = [...counted.matchAll(/^ *(\w+): +\d+ +(\d+)(?: +\d+){7} +(\d+)(?: +\d+){6}$/gm)]
    .filter(([, name]) => name !== "lo")
    .reduce((sum, [, , received, sent]) => sum + Number(received) + Number(sent), 0);
  return { packets, noRoute: noRoute + noRoute6 };
}

// It lasts two minutes. Namespaces need root.
test.runIf(runsAllTests && canIsolate)(
  "the service, the demo and a chaos run work without a route, and seek none",
  async () => {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const run = promisify(execFile)("unshare", ["--net", "sh", "-c", script, process.execPath], {
      ...{ env, cwd: repositoryRoot, maxBuffer: 64 * 1024 * 1024 },
    });
    const { stdout } = await run;
    const [, service = "", dial = ""] = stdout.split(/^(?:service|dial)$/m);
    expect(outside(service)).toEqual({ packets: 0, noRoute: 0 });
    expect(outside(dial).noRoute).toBeGreaterThan(0);
  },
);
