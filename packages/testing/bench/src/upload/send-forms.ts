import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** Forms that are sent at once, each on its own connection. */
export type Forms = { baseUrl: string; path: string; apiKey: string; megabytes: number; together: number };

// This file is the entry point of a thread. It writes whole megabytes, so that it costs little compared with the
// server.
const { baseUrl, path, apiKey, megabytes, together } = workerData as Forms;
const { hostname, port, host } = new URL(baseUrl);
// As long as curl's.
const boundary = `${"-".repeat(24)}0123456789abcdefghijkl`;
const part = (name: string, more = "") =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`;
const before = `${part("schema")}{"title":"string"}\r\n${part("video", '; filename="clip.mp4"')}`;
const after = `\r\n--${boundary}--\r\n`;
const megabyte = randomBytes(1024 ** 2);

/** Sends a form. Returns the status line of the response. */
async function send(): Promise<string> {
  const socket = connect({ host: hostname, port: Number(port) });
  const answered = once(socket, "data");
  const length = before.length + megabytes * megabyte.length + after.length;
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\n` +
      `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${length}\r\n\r\n${before}`,
  );
  for (let sent = 0; sent < megabytes; sent++) if (!socket.write(megabyte)) await once(socket, "drain");
  socket.write(after);
  const [head] = (await answered) as [Buffer];
  socket.destroy();
  return head.toString("latin1").split("\r\n")[0] ?? "";
}

parentPort?.postMessage(await Promise.all(Array.from({ length: together }, send)));
