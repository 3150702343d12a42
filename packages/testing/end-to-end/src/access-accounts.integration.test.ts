import { randomUUID } from "node:crypto";
import { runAdmin } from "@video-to-json/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { borrowMcpService, callTool, type McpService } from "./mcp-service.ts";
import { askedOf, bearer } from "./service-facts.ts";

let service: McpService;
let owner: string;
let stranger: string;
beforeAll(async () => {
  service = await borrowMcpService();
  [owner, stranger] = [await service.newKey(), await service.newKey()];
});
afterAll(() => service[Symbol.asyncDispose]());

const mark = "Bartholomew";
const schema = { [`${mark}_asks`]: `${mark}_one|${mark}_two` };
/** The request of both accounts, with a mark in that of the owner. */
const request = (marked: boolean) => ({
  video_url: service.videoUrl(marked ? mark : "plain"),
  schema: marked ? schema : { main_color: "red|green|blue" },
  ...(marked && { instructions: `${mark} instructs` }),
});

async function ownersJob(headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await service.extractUrl(request(true), { ...bearer(owner), ...headers });
  expect(status).toBe(200);
  return body.id;
}

test("a job of another account gets the response of an unknown job, at every entry point, header names included", async () => {
  const id = await ownersJob();
  const never = randomUUID();
  const responseTo = async (path: string) => {
    const { status, text, headers } = await service.read(`/v1/jobs/${path}`, stranger);
    return { status, text, names: [...headers.keys()].sort() };
  };
  for (const path of [id, id.toUpperCase(), `${id}?account=${id}`])
    expect(await responseTo(path)).toEqual(await responseTo(never));

  const tool = (args: object) => callTool({ baseUrl: service.baseUrl, key: stranger }, "recent_extractions", args);
  expect(await tool({ id })).toEqual(await tool({ id: never }));
  expect((await tool({ id })).answer?.body.error?.code).toBe("not_found");
  const list = (await tool({ limit: 50, account: "owner", email: "stack@example.com" })).answer;
  expect(list?.body.extractions).toEqual([]);
  expect((await service.read(`/v1/jobs/${id}`, owner)).text).toContain(mark);
});

test("the Idempotency-Key of another account counts as unused: nothing is replayed, joined or refused", async () => {
  const key = { "idempotency-key": "one for two" };
  const id = await ownersJob(key);
  const other = await service.extractUrl(request(false), { ...bearer(stranger), ...key });
  expect([other.status, other.headers.get("idempotent-replayed")]).toEqual([200, null]);
  expect(other.body.id).not.toBe(id);
  expect(other.text).not.toContain(mark);
  const same = await service.extractUrl(request(true), { ...bearer(await service.newKey()), ...key });
  expect([same.status, same.headers.get("idempotent-replayed"), same.body.id === id]).toEqual([200, null, false]);
});

test("the use of one account changes neither balance, quota nor slots of another", async () => {
  const calm = await service.newKey();
  const quota = async () => (await service.read("/v1/me", calm)).headers.get("ratelimit");
  expect(await quota()).toMatch(/;r=1199;t=/);
  await ownersJob();
  await service.read("/v1/me", owner);
  expect(await quota()).toMatch(/;r=1198;t=/);
  expect(await service.secondsRemaining(calm)).toBe(1800);
});

test("a revoked key is refused at every entry point from the next request on; a waiting request gets its answer", async () => {
  const email = service.accountEmail;
  const admin = (...args: string[]) => runAdmin(args, { DATABASE_URL: service.databaseUrl });
  const made = JSON.parse(await admin("key", "create", "--account", email, "--name", "doomed", "--json"));
  const { key, id } = made as { key: string; id: string };
  const replay = { "idempotency-key": "outlives its key" };
  const started = (await askedOf(service)) + 1;
  await service.emulator.setFaults([{ on: "generate", kind: "latency", ms: 4000, times: 1 }]);
  const waiting = service.extractUrl(request(true), { ...bearer(key), ...replay });
  await service.emulator.waitFor({ "requests.generate": started });
  await admin("key", "revoke", id);

  const refused = await service.extractUrl(request(true), { ...bearer(key), ...replay });
  expect([refused.status, refused.body.error.code]).toEqual([401, "unauthorised"]);
  for (const path of ["/v1/me", `/v1/jobs/${randomUUID()}`, "/v1/openapi.json", "/v1/nothing"]) {
    expect((await service.read(path, key)).status).toBe(401);
  }
  expect((await callTool({ baseUrl: service.baseUrl, key }, "recent_extractions", {})).status).toBe(401);
  const answer = await waiting;
  expect(answer.status).toBe(200);
  expect((await service.extractUrl(request(true), { ...bearer(key), ...replay })).status).toBe(401);
  // The job belongs to the account, so another key of the account can read it.
  const again = await service.extractUrl(request(true), replay);
  expect([again.status, again.body.id]).toEqual([200, answer.body.id]);
});
