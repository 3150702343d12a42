import { once } from "node:events";
import { PassThrough } from "node:stream";
import { defaultLimits } from "@video-to-json/contract";
import type { Request } from "express";
import { expect, test } from "vitest";
import { readMultipartBody } from "./read-multipart-body.ts";

const unused = () => Promise.reject(new Error("nothing came that could be kept or compiled"));
const deps = {
  sandbox: { compile: unused },
  storage: { put: unused },
  limits: defaultLimits,
  log: { error: () => {} },
  uploadIdleSeconds: 1000,
  uploadMinBytesPerSecond: 1,
};

test("the form of a caller who had gone before it is read is given up at once", async () => {
  const headers = { "content-type": "multipart/form-data; boundary=b" };
  const request = Object.assign(new PassThrough(), { headers, complete: false });
  request.destroy();
  await once(request, "close");
  await expect(readMultipartBody(deps, request as unknown as Request, "key")).rejects.toMatchObject({
    code: "invalid_request",
  });
});
