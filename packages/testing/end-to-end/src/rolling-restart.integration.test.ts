import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { StackPart } from "@video-to-json/stack";
import { startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { runsAllTests } from "@video-to-json/testing";
import { expect, test } from "vitest";
import { bearer } from "./service-facts.ts";

const schema = '{"main_color":"red|green|blue"}';

// Other tests check what an API and a worker do when they stop.
test.runIf(runsAllTests)(
  "a rolling restart of every process under load loses no request of a client that retries refused requests",
  async () => {
    await using service = await startService({
      apis: 2,
      workers: 2,
      env: {
        DRAIN_SECONDS: "1",
        SHUTDOWN_GRACE_SECONDS: "1",
        MAX_JOBS_PER_ACCOUNT: "50",
        EXTRACTIONS_PER_MINUTE: "10000",
      },
    });
    // Longer than the grace period of a worker: some jobs finish in time, others are requeued.
    await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 1500, times: -1 }]);
    const key = await service.newKey(600_000);
    const clip = await readFile(service.video);
    const load = startLoad(({ turn, onRefused }) => untilAnswered(service.apiUrls, { key, clip, turn, onRefused }));
    await expect.poll(() => load.answered, { timeout: 90_000 }).toBeGreaterThan(4);
    for (const part of service.parts) await restart(part);
    const before = load.answered;
    await expect.poll(() => load.answered, { timeout: 90_000 }).toBeGreaterThan(before + 4);
    const results = await load.stop();

    expect(results.filter(({ outcome }) => outcome !== 200)).toEqual([]);
    expect(600_000 - (await service.secondsRemaining(key))).toBe(60 * results.length);
    expect(load.refused).toBeGreaterThan(0);
    await untilNothingIsLeft(service);
  },
);

async function restart(part: StackPart): Promise<void> {
  const { ended } = part;
  part.signal("SIGTERM");
  expect([part.name, await ended]).toEqual([part.name, "code 0"]);
  await part.start();
}

/** Starts callers that each send one upload after the other, on keep-alive connections, to either API. */
function startLoad(send: (given: { turn: number; onRefused(): void }) => Promise<number>) {
  const load = { answered: 0, refused: 0 };
  let going = true;
  const caller = async (index: number) => {
    const results: { outcome: unknown }[] = [];
    for (let turn = index; going; turn++) {
      const outcome = await send({ turn, onRefused: () => void load.refused++ }).catch(codeOf);
      results.push({ outcome });
      load.answered += 1;
    }
    return results;
  };
  const callers = Array.from({ length: 3 }, (_, index) => caller(index));
  return Object.assign(load, {
    async stop() {
      going = false;
      return (await Promise.all(callers)).flat();
    },
  });
}

type Given = { key: string; clip: Uint8Array; turn: number; onRefused(): void };

/** Sends again after a refused connection and after a 503 with Retry-After. Returns any other status. */
async function untilAnswered(apiUrls: readonly string[], { key, clip, turn, onRefused }: Given): Promise<number> {
  const video = new File([new Uint8Array(clip)], "clip.mp4");
  for (let attempt = 0; ; attempt++) {
    const body = new FormData();
    body.append("schema", schema);
    body.append("video", video);
    const url = apiUrls[(turn + attempt) % apiUrls.length];
    const headers = bearer(key);
    const response = await fetch(`${url}/v1/extract`, { method: "POST", headers, body }).catch((error) => {
      if (codeOf(error) !== "ECONNREFUSED") throw error;
    });
    const wait = response?.headers.get("retry-after");
    await response?.text();
    if (response && !(response.status === 503 && wait)) return response.status;
    onRefused();
    await sleep(wait ? Number(wait) * 1000 : 50);
  }
}

function codeOf(error: unknown): unknown {
  const { cause, message } = error as { cause?: { code?: string }; message: string };
  return cause?.code ?? message;
}
