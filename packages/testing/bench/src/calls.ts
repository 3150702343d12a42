import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Service } from "./service.ts";

export const clipSchema = {
  type: "object",
  properties: {
    summary: { type: "string" },
    main_color: { type: "string" },
    has_sound: { type: "boolean" },
    scenes: {
      type: "array",
      maxItems: 5,
      items: {
        type: "object",
        properties: { start: { type: "number" }, description: { type: "string" } },
        required: ["start", "description"],
      },
    },
  },
  required: ["summary", "main_color", "has_sound", "scenes"],
} as const;

type Call = {
  method?: "GET" | "POST";
  path?: string;
  body?: Buffer | object;
  contentType?: string;
  /** Called with each event of the response, which then is a stream of events. */
  onEvent?: ((name: string, data: string) => void) | undefined;
};

/** A response. `firstByteAt` is in milliseconds since 1970. A stream of events leaves no text. */
type Answer = { status: number; text: string; firstByteAt: number };

/** Creates a caller of the service with keep-alive connections. It takes little processor time. */
export function createCaller({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, maxSockets = Infinity) {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return {
    send(
      { method = "POST", path = "/v1/extract", body, contentType = "application/json", onEvent }: Call,
      key = apiKey,
    ) {
      const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const headers = {
        authorization: `Bearer ${key}`,
        ...(bytes && { "content-type": contentType, "content-length": bytes.length }),
        ...(onEvent && { accept: "text/event-stream" }),
      };
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      const sending = request(`${baseUrl}${path}`, { agent, method, headers }, (response) => {
        const firstByteAt = performance.timeOrigin + performance.now();
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          const events = onEvent ? text.split("\n\n") : [text];
          text = events.pop() ?? "";
          for (const event of events) {
            const [, name, data] = /^event: (\w+)\ndata: (.*)$/m.exec(event) ?? [];
            if (name !== undefined && data !== undefined) onEvent?.(name, data);
          }
        });
        response.once("error", reject);
        response.once("end", () => resolve({ status: response.statusCode ?? 0, text, firstByteAt }));
      });
      sending.once("error", reject).end(bytes);
      return promise;
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** On a machine with much other load, the service may be unavailable for a moment. The pauses count as time of the job. */
const mostSent = 5;
const pauseMs = 1000;

/** Opens an account. Returns a function that extracts the clip at a path, and throws unless the job succeeds. */
export async function openExtractor(service: Service, clip: string, onEvent?: Call["onEvent"]) {
  const { key } = await service.openAccount();
  const caller = createCaller({ ...service, apiKey: key });
  const boundary = randomUUID();
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${part('name="schema"')}${JSON.stringify(clipSchema)}\r\n`),
    Buffer.from(part('name="video"; filename="clip.mp4"\r\ncontent-type: video/mp4')),
    await readFile(clip),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const call = { body, contentType: `multipart/form-data; boundary=${boundary}` };
  const extract = async (): Promise<Answer> => {
    for (let sent = 1; ; sent++) {
      let last = "result";
      const note = (name: string, data: string) => {
        last = name;
        onEvent?.(name, data);
      };
      const answer = await caller.send({ ...call, onEvent: onEvent && note });
      if (answer.status === 200 && last === "result") return answer;
      if (answer.status !== 503 || sent === mostSent)
        throw new Error(`POST /v1/extract answers ${answer.status}, ${last}: ${answer.text.slice(0, 500)}`);
      await sleep(pauseMs);
    }
  };
  return Object.assign(extract, { [Symbol.dispose]: caller[Symbol.dispose] });
}
