import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { schema } from "./question.ts";

/** A caller of the service that sends the same clip again and again. */
export type Caller = {
  /** Resolves with the answer to one extraction. Throws unless the status is 200. */
  extract(): Promise<void>;
  close(): void;
};

/** Returns the form of an extraction of a clip. It is built once, so that a caller takes little processor time. */
export function formOf(clip: Buffer): { body: Buffer; contentType: string } {
  const boundary = randomUUID();
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${part('name="schema"')}${JSON.stringify(schema)}\r\n`),
    Buffer.from(part('name="video"; filename="clip.mp4"\r\ncontent-type: video/mp4')),
    clip,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

type Options = {
  baseUrl: string;
  apiKey: string;
  clip: Buffer;
  /** Called with each event of a response, which then is a stream of events. */
  onEvent?(name: string, data: string): void;
};

/** Creates a caller with keep-alive connections. */
export function createCaller({ baseUrl, apiKey, clip, onEvent }: Options): Caller {
  const { body, contentType } = formOf(clip);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    "content-type": contentType,
    "content-length": body.length,
    ...(onEvent && { accept: "text/event-stream" }),
  };
  const agent = new Agent({ keepAlive: true });
  const send = () =>
    new Promise<"answered" | "refused">((resolve, reject) => {
      request(`${baseUrl}/v1/extract`, { agent, method: "POST", headers }, (response) => {
        let text = "";
        let last = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          if (!onEvent) return;
          const events = text.split("\n\n");
          text = events.pop() ?? "";
          for (const event of events) {
            const [, name, data] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
            if (name === undefined || data === undefined) continue;
            last = name;
            onEvent(name, data);
          }
        });
        response.once("error", reject);
        response.once("end", () => {
          if (response.statusCode === 200 && (!onEvent || last === "result")) resolve("answered");
          else if (response.statusCode === 503) resolve("refused");
          else reject(new Error(`POST /v1/extract answers ${response.statusCode}, ${last}: ${text.slice(0, 500)}`));
        });
      })
        .once("error", reject)
        .end(body);
    });
  return {
    async extract() {
      for (let sent = 1; (await send()) === "refused"; sent++) {
        if (sent === mostSent) throw new Error(`POST /v1/extract answers 503 to ${mostSent} requests in turn.`);
        await sleep(pauseMs);
      }
    },
    close: () => agent.destroy(),
  };
}

/** On a machine with much other load, the service may be unavailable for a moment. The pauses count as time of the job. */
const mostSent = 5;
const pauseMs = 1000;
