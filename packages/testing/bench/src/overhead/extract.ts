import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { schema } from "./question.ts";

/** A caller of the service that sends the same clip again and again. */
export type Caller = {
  /** Resolves with the answer to one extraction. Throws unless the status is 200. */
  extract(): Promise<void>;
  close(): void;
};

/** Creates a caller on kept connections. The body is built once, so that the caller takes little processor time. */
export function createCaller({ baseUrl, apiKey, clip }: { baseUrl: string; apiKey: string; clip: Buffer }): Caller {
  const boundary = randomUUID();
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${part('name="schema"')}${JSON.stringify(schema)}\r\n`),
    Buffer.from(part('name="video"; filename="clip.mp4"\r\ncontent-type: video/mp4')),
    clip,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": `multipart/form-data; boundary=${boundary}`,
    "content-length": body.length,
  };
  const agent = new Agent({ keepAlive: true });
  return {
    extract: () =>
      new Promise((resolve, reject) => {
        request(`${baseUrl}/v1/extract`, { agent, method: "POST", headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk)).once("error", reject);
          response.once("end", () => {
            if (response.statusCode === 200) resolve();
            else reject(new Error(`POST /v1/extract answers ${response.statusCode}: ${Buffer.concat(chunks)}`));
          });
        })
          .once("error", reject)
          .end(body);
      }),
    close: () => agent.destroy(),
  };
}
