import { request as sendRequest } from "node:http";
import { cacheDirectory } from "@video-to-json/testing/running";
import { startEmulator } from "./emulator.ts";
import { readOptions } from "./options.ts";

/** Starts an emulator in this process for one test, with the usual steps of a caller. `await using` closes it. */
export async function openTestEmulator(args: string[] = []) {
  const evidence = cacheDirectory("evidence");
  const cached = evidence ? ["--evidence-dir", evidence] : [];
  const options = readOptions(["--port", "0", "--processing-ms", "0", ...cached, ...args], {});
  const { url, close } = await startEmulator(options, () => {});
  const key = { "x-goog-api-key": "key-one" };

  const call = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, { headers: key, ...init });
  const post = (path: string, body: object, more: Record<string, string> = {}, method = "POST") => {
    const headers = { ...key, "content-type": "application/json", ...more };
    return call(path, { method, headers, body: JSON.stringify(body) });
  };
  const start = (body: object = {}, headers: Record<string, string> = {}) => {
    const upload = { "x-goog-upload-protocol": "resumable", "x-goog-upload-command": "start" };
    const type = { "x-goog-upload-header-content-type": "video/mp4" };
    return post("/upload/v1beta/files", body, { ...upload, ...type, ...headers });
  };
  const startedUpload = async (headers: Record<string, string> = {}) =>
    String((await start({}, headers)).headers.get("x-goog-upload-url"));

  function command(uploadUrl: string, name: string, offset?: number, body: Uint8Array<ArrayBuffer> | null = null) {
    const at = offset === undefined ? {} : { "x-goog-upload-offset": String(offset) };
    return fetch(uploadUrl, { method: "POST", headers: { "x-goog-upload-command": name, ...at }, body });
  }

  async function upload(bytes: Uint8Array<ArrayBuffer>): Promise<Record<string, string>> {
    const reply = await command(await startedUpload(), "upload, finalize", 0, bytes);
    return ((await reply.json()) as { file: Record<string, string> }).file;
  }

  async function settled(name: string): Promise<Record<string, unknown>> {
    for (;;) {
      const file = (await (await call(`/v1beta/${name}`)).json()) as Record<string, unknown>;
      if (file.state !== "PROCESSING") return file;
    }
  }

  const generate = (body: object, model = "gemini-3.5-flash-lite") =>
    post(`/v1beta/models/${model}:generateContent`, { store: false, ...body });
  const setFaults = (faults: readonly object[]) => post("/control/faults", { faults }, {}, "PUT");
  const state = async () => (await (await call("/control/state")).json()) as Record<string, unknown>;

  function breakOff(uploadUrl: string, headers: Record<string, string>, body: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      const request = sendRequest(uploadUrl, { method: "POST", headers });
      request.on("error", () => {});
      request.once("close", () => resolve());
      request.write(body, () => request.destroy());
    });
  }

  return {
    ...{ url, call, post, start, startedUpload, command, upload, settled, generate, setFaults, state, breakOff },
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the HTTP status, the status name and the message of a refusal. */
export async function refusal(response: Response): Promise<[number, string, string]> {
  const { error } = (await response.json()) as { error: { status: string; message: string } };
  return [response.status, error.status, error.message];
}
