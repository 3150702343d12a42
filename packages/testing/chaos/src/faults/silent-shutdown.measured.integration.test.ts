import { startService } from "@video-to-json/stack/service";
import { expect, onTestFinished, test } from "vitest";
import { openNetwork } from "../surroundings/network.ts";

/** How much longer than a job, or than its grace, Compose and the chart let a process take. */
const extraSeconds = { api: 60, worker: 30 };
const jobTimeoutSeconds = 10;
const graceSeconds = 1;

test("an API and a worker end in the time that Compose and the chart give them, although PostgreSQL is silent", async () => {
  const network = openNetwork();
  const env = { JOB_TIMEOUT_SECONDS: String(jobTimeoutSeconds), SHUTDOWN_GRACE_SECONDS: String(graceSeconds) };
  const service = await startService({ env, settingsOf: network.settingsOf });
  onTestFinished(async () => {
    await service[Symbol.asyncDispose]();
    await network.close();
  });
  await service.emulator.setFaults([{ on: "generate", kind: "hang", times: -1 }]);
  const call = service.extract().catch((error: unknown) => error);
  await expect.poll(async () => (await service.emulator.state()).requests.generate ?? 0).toBe(1);
  for (const { to, silence } of network.links) if (to === "postgres") silence("both");
  const since = performance.now();
  const seconds = await Promise.all(
    service.parts.map(async ({ app, ended, signal }) => {
      signal("SIGTERM");
      expect([app, await ended]).toEqual([app, "code 0"]);
      return [app, (performance.now() - since) / 1000] as const;
    }),
  );
  const took = Object.fromEntries(seconds);
  expect(took.api).toBeLessThan(jobTimeoutSeconds + extraSeconds.api);
  expect(took.worker).toBeLessThan(graceSeconds + extraSeconds.worker);
  await call;
});
