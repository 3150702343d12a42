import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { serveLocally, type WebServer } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askedOf, bearer, connect } from "./service-facts.ts";

// Two workers with three places each. One job at a time may be with the provider.
const places = 6;
const opened = new AsyncDisposableStack();
const released = Promise.withResolvers<void>();
let openRequests = 0;
let clip: Buffer;
let site: WebServer;
let service: Service;
beforeAll(async () => {
  const answer = async (response: ServerResponse) => {
    openRequests++;
    await released.promise;
    response.end(clip);
  };
  site = opened.use(await serveLocally((_request, response) => void answer(response)));
  const env = { FETCH_ALLOW_HOSTS: site.host, GLOBAL_CONCURRENCY: "1", WORKER_CONCURRENCY: "3" };
  service = opened.use(await startService({ workers: 2, env }));
  clip = await readFile(service.video);
});
afterAll(() => opened.disposeAsync());

test("ten slow URLs of two accounts, more than there are places, delay no clip of a third, even while one job at a time may be with the provider", async () => {
  const accounts = [await service.newKey(), await service.newKey()];
  const schema = { main_color: "red|green|blue" };
  const slow = accounts.flatMap((key) =>
    Array.from({ length: 5 }, (_, n) => service.extractUrl({ schema, video_url: `${site.url}/${n}` }, bearer(key))),
  );
  await expect.poll(() => openRequests).toBeGreaterThanOrEqual(places);
  const { status, body } = await service.extract();
  expect([status, body.data]).toEqual([200, { main_color: "red" }]);
  released.resolve();
  expect((await Promise.all(slow)).map((answer) => answer.status)).toEqual(Array.from({ length: 10 }, () => 200));
  await untilNothingIsLeft(service);
});

test("two workers never have more jobs with the provider than allowed, while all jobs are fetched and probed", async () => {
  const sql = connect(service.database.url);
  const before = await askedOf(service);
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 8000, times: -1 }]);
  const keys = [await service.newKey(), await service.newKey()];
  const answers = keys.flatMap((key) => [1, 2, 3].map(() => service.extract({}, bearer(key))));
  const held = async () => Number((await sql`select count(*) from holds where state = 'held'`)[0]?.count);
  await expect.poll(held).toBe(6);
  expect(await askedOf(service)).toBeLessThanOrEqual(before + 1);
  await service.emulator.setFaults([]);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  await untilNothingIsLeft(service);
});
