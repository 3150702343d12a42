import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Service, startService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { makeVideo } from "@video-to-json/testing";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";

const shapes = ["absent", "deep", "fence", "keys", "letters", "long", "many"] as const;
const [all, others] = ["every question", "every question but the first"] as const;
/** Each of these held up a worker for seconds before the sandbox did the work. */
const hardest: [string, string][] = [
  ["absent", all],
  ["letters", others],
  ["many", others],
];
const schema = JSON.stringify({
  type: "object",
  properties: {
    title: { type: "string" },
    cuts: {
      type: "array",
      items: {
        type: "object",
        properties: { at: { type: "string", description: "MM:SS" }, text: { type: "string" } },
        required: ["at"],
      },
    },
    rows: {
      type: "array",
      items: {
        type: "object",
        properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`key${n}`, { type: "string" }])),
      },
    },
    more: { type: "object", additionalProperties: true },
  },
  required: ["title", "cuts"],
});
const evidence = { "extract-evidence": "fields" };
const maxEvidenceBytes = 3 * 64 * 1024;

let service: Service;
let video: Buffer;
beforeAll(async () => {
  service = await startService({ env: { SECOND_LOOK: "times", COMPLETE_LISTS: "on" } });
  // The model gets a question about each window of a video of more than two minutes.
  const path = join(dirname(service.video), "long.mp4");
  const scenes = [
    { seconds: 40, color: "red", text: "Opening night" },
    { seconds: 40, color: "blue", text: "Second act", sound: "tone" },
    { seconds: 50, color: "green" },
  ] as const;
  await makeVideo({ scenes, width: 320, height: 180 }, path);
  video = await readFile(path);
  // Such answers soon cost more than a free account may.
  const sql = postgres(service.database.url, { max: 1 });
  await sql`update accounts set pays = true`;
  await sql.end();
  // The first job of a process compiles code.
  await service.extract({ schema, video }, evidence);
});
afterAll(() => service[Symbol.asyncDispose]());

/** Blocks of more than 250 ms of processor time. The promise is 50 ms; other tests slow the processor. */
const blocks = () =>
  Promise.all(
    service.metricsUrls.map(async (url) => {
      const text = await (await fetch(`${url}/metrics`)).text();
      const [all = Number.NaN, short = Number.NaN] = ["count", 'bucket{le="0.25"}'].map((part) =>
        Number(text.split(`video_to_json_event_loop_blocks_seconds_${part} `)[1]?.split("\n")[0]),
      );
      return all - short;
    }),
  );

test.each<[string, string]>(
  process.env.VIDEO_TO_JSON_TEST_ALL
    ? shapes.flatMap((shape) => [
        [shape, all],
        [shape, others],
      ])
    : hardest,
)(
  "a model whose answers are hostile (%s, to %s) holds up no process, and its evidence stays small",
  async (shape, questions) => {
    const after = questions === all ? 0 : 1;
    await service.emulator.setFaults([{ on: "generate", kind: "hostile", shape, times: -1, after }]);
    const { status, body } = await service.extract({ schema, video }, evidence);
    expect([200, 422]).toContain(status);
    if (status === 200) {
      const { text } = await service.read(`/v1/jobs/${body.id}/evidence`);
      expect(text.length).toBeLessThanOrEqual(maxEvidenceBytes);
    }
    expect(await blocks()).toEqual([0, 0]);
    await untilNothingIsLeft(service);
  },
);
