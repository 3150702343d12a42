import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { leavesOf } from "@video-to-json/contract";
import type { Evidence } from "@video-to-json/contract/shapes/evidence";
import { type BorrowedService, borrowService, untilNothingIsLeft } from "@video-to-json/stack/service";
import { makeVideo } from "@video-to-json/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bearer } from "./service-facts.ts";

const asked = { "extract-evidence": "fields" };
const schema =
  '{"title":"string","cuts":[{"at":"timestamp","text?":"string"}],"summary":"string","a/b~c?":"string","none":[{"black_at":"timestamp"}]}';

let service: BorrowedService;
let video: Buffer;
beforeAll(async () => {
  service = await borrowService();
  const path = join(dirname(service.video), "titles.mp4");
  const scenes = [
    { seconds: 3, color: "red", text: "Opening night" },
    { seconds: 3, color: "blue", text: "Second act", sound: "tone" },
    { seconds: 3, color: "green" },
  ] as const;
  await makeVideo({ scenes, width: 640, height: 360 }, path);
  video = await readFile(path);
});
afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => service.emulator.setFaults([]));

const evidenceOf = async (id: string, key?: string) => {
  const { status, text } = await service.read(`/v1/jobs/${id}/evidence`, key);
  return { status, evidence: JSON.parse(text) as Evidence & { error: { code: string; message: string } } };
};

function everyLeafOnce(data: unknown, { fields, whole_video: whole }: Evidence): void {
  const leaves = leavesOf(data).map(({ pointer }) => pointer);
  expect([...Object.keys(fields), ...whole].sort()).toEqual(leaves.sort());
}

test("each leaf of the data has evidence from the video, and the data is byte for byte the same without it", async () => {
  const before = await service.secondsRemaining();
  const plain = await service.extract({ schema, video });
  const { status, body, headers, text } = await service.extract({ schema, video }, asked);
  expect([status, headers.get("link")]).toEqual([200, `</v1/jobs/${body.id}/evidence>; rel="describedby"`]);
  expect(plain.headers.get("link")).toBeNull();
  expect(text.replace(body.id, plain.body.id)).toBe(plain.text);
  expect(before - (await service.secondsRemaining())).toBe(120);

  const { evidence } = await evidenceOf(body.id);
  everyLeafOnce(body.data, evidence);
  expect(evidence).toMatchObject({ job_id: body.id, absent: expect.arrayContaining(["/a~1b~0c"]) });
  expect(evidence.duration_ms).toBe(Math.round(body.video.duration_seconds * 1000));
  expect(evidence.whole_video).toContain("/none");
  expect(evidence.fields["/title"]).toMatchObject({
    verdict: "confirmed",
    confidence: expect.any(Number),
    spans: [{ start_ms: 0, modality: "text", quote: "Opening night", quote_found: true }],
  });
  const cut = evidence.fields["/cuts/0/at"];
  expect(cut).toMatchObject({ verdict: "confirmed", nearest_cut_ms: 3000, spans: [{ start_ms: 3000 }] });
  expect(cut?.checked?.from_ms).toBeLessThan(3000);
  expect(cut?.checked?.to_ms).toBeGreaterThan(3000);
  for (const { spans } of Object.values(evidence.fields))
    for (const { start_ms, end_ms } of spans) {
      expect(start_ms).toBeLessThanOrEqual(end_ms);
      expect(end_ms).toBeLessThanOrEqual(evidence.duration_ms);
    }
  await untilNothingIsLeft(service);
});

test("there is no evidence of a job that was not asked, is another account's, unknown, or deleted", async () => {
  const { body: plain } = await service.extract();
  const { body } = await service.extract({}, asked);
  expect((await evidenceOf(body.id)).status).toBe(200);
  const unknown = await evidenceOf("5f0c2b1e-8a43-4c55-9d61-2f9a1f2f7a10");
  expect(unknown).toMatchObject({ status: 404, evidence: { error: { code: "not_found" } } });
  expect(await evidenceOf(plain.id)).toEqual(unknown);
  expect(await evidenceOf(body.id, await service.newKey())).toEqual(unknown);
  const headers = bearer(service.apiKey);
  expect((await fetch(`${service.baseUrl}/v1/jobs/${body.id}`, { method: "DELETE", headers })).status).toBe(204);
  expect(await evidenceOf(body.id)).toEqual(unknown);
});

test("any other value of the header is refused with what to send, and the header makes another request", async () => {
  const { status, body } = await service.extract({}, { "extract-evidence": "all" });
  expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  expect(body.error.message).toContain("Send `fields`");
  const key = { "idempotency-key": "evidence-1" };
  const first = await service.extract({}, { ...key, ...asked });
  const again = await service.extract({}, { ...key, ...asked });
  expect([again.body.id, again.headers.get("idempotent-replayed"), again.headers.get("link")]).toEqual([
    first.body.id,
    "true",
    first.headers.get("link"),
  ]);
  const without = await service.extract({}, key);
  expect([without.status, without.body.error.code]).toEqual([409, "idempotency_mismatch"]);
});

test("an answer whose evidence cannot be gathered is returned and charged as any other", async () => {
  const before = await service.secondsRemaining();
  // The first question gets an answer; the question for evidence gets none.
  await service.emulator.setFaults([{ on: "generate", kind: "safety", times: -1, after: 1 }]);
  const { status, body } = await service.extract({ schema, video }, asked);
  expect(status).toBe(200);
  expect(before - (await service.secondsRemaining())).toBe(60);
  const { evidence } = await evidenceOf(body.id);
  everyLeafOnce(body.data, evidence);
  expect(evidence.status).toBe("unavailable");
  expect(new Set(Object.values(evidence.fields).map(({ verdict }) => verdict))).toEqual(new Set(["not_checked"]));
});
