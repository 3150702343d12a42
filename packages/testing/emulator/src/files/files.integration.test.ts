import { expect, test } from "vitest";
import { openTestEmulator, refusal } from "../emulator.harness.ts";

const garbage = new TextEncoder().encode("not a video");

test("a file that is not a video becomes FAILED with an error", async () => {
  await using emulator = await openTestEmulator();
  const { name = "" } = await emulator.upload(garbage);
  expect(await emulator.settled(name)).toMatchObject({ state: "FAILED", error: { code: 3 } });
});

test("a deleted file and a file of another key get the same refusal", async () => {
  await using emulator = await openTestEmulator();
  const { name = "" } = await emulator.upload(garbage);
  const id = name.slice("files/".length);
  const gone = [403, "PERMISSION_DENIED", `You do not have permission to access the File ${id} or it may not exist.`];
  const foreign = await emulator.call(`/v1beta/${name}`, { headers: { "x-goog-api-key": "key-two" } });
  expect(await refusal(foreign)).toEqual(gone);
  expect(await (await emulator.call(`/v1beta/${name}`, { method: "DELETE" })).json()).toEqual({});
  expect(await refusal(await emulator.call(`/v1beta/${name}`))).toEqual(gone);
  expect(await refusal(await emulator.call(`/v1beta/${name}`, { method: "DELETE" }))).toEqual(gone);
  expect(await emulator.state()).toMatchObject({ files: 0, bytes: 0 });
});

test("a listing by pages, newest first, stays correct while files are added and deleted", async () => {
  await using emulator = await openTestEmulator();
  const names: string[] = [];
  for (let index = 0; index < 5; index++) names.unshift((await emulator.upload(garbage)).name ?? "");
  type Page = { files?: { name: string }[]; nextPageToken?: string };
  const page = async (query: string) => (await (await emulator.call(`/v1beta/files?${query}`)).json()) as Page;
  const first = await page("pageSize=2");
  expect(first.files?.map(({ name }) => name)).toEqual(names.slice(0, 2));
  await emulator.call(`/v1beta/${names[1]}`, { method: "DELETE" });
  await emulator.upload(garbage);
  const second = await page(`pageSize=10&pageToken=${first.nextPageToken}`);
  expect(second.files?.map(({ name }) => name)).toEqual(names.slice(2));
  expect(second.nextPageToken).toBeUndefined();
  expect((await emulator.call("/v1beta/files?pageToken=nonsense")).status).toBe(400);
});

test("a request without a key or with a wrong key gets Gemini's refusal", async () => {
  await using emulator = await openTestEmulator();
  const without = await emulator.call("/v1beta/files", { headers: {} });
  expect((await refusal(without)).slice(0, 2)).toEqual([403, "PERMISSION_DENIED"]);
  const wrong = await emulator.call("/v1beta/files", { headers: { "x-goog-api-key": "invalid-key" } });
  const body = (await wrong.json()) as { error: { message: string; details: object[] } };
  expect([wrong.status, body.error.message]).toEqual([400, "API key not valid. Please pass a valid API key."]);
  expect(body.error.details).toMatchObject([{ reason: "API_KEY_INVALID" }]);
  expect((await emulator.call("/v1/files?key=another", { headers: {} })).status).toBe(200);
});

test("an unknown path gets an HTML page with status 404", async () => {
  await using emulator = await openTestEmulator();
  const reply = await emulator.call("/v1beta/nothing");
  expect([reply.status, reply.headers.get("content-type")]).toEqual([404, "text/html; charset=UTF-8"]);
});
