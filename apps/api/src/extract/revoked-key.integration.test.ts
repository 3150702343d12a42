import { revokeKey } from "@video-to-json/database";
import { openRawConnection } from "@video-to-json/runtime/http/testing";
import { expect, test } from "vitest";
import { startTestApi } from "../api.harness.ts";

const part = (name: string, extra = "") => `--b\r\ncontent-disposition: form-data; name="${name}"${extra}\r\n\r\n`;

test("a key that is revoked during an upload cannot start a job, and the upload is deleted", async () => {
  await using api = await startTestApi();
  const { keyId: id, accountId, headers } = await api.newCaller("revoked@example.com");
  using upload = await openRawConnection(api.port);
  const begin = `${part("schema")}{"a":"string"}\r\n${part("video", '; filename="v.mp4"')}${"v".repeat(100_000)}`;
  const rest = `${"v".repeat(1000)}\r\n--b--\r\n`;
  upload.send(
    `POST /v1/extract HTTP/1.1\r\nHost: a\r\nAuthorization: ${headers.authorization}\r\n` +
      `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${begin.length + rest.length}\r\n\r\n${begin}`,
  );
  await expect.poll(async () => (await api.stored()).length).toBe(1);
  await revokeKey(api.db, { id, accountId });
  upload.send(rest);
  await expect.poll(upload.received).toMatch(/^HTTP\/1\.1 (401|200) [\s\S]*"code":"unauthorised"/);
  expect(await api.stored()).toEqual([]);
  expect(await api.db.execute("select id from jobs")).toHaveLength(0);
});
