import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { loadModel } from "./llama-node.ts";
import { randomModel, randomProjector, spellingModel } from "./models.ts";

// Usage: main.ts PORT CONTEXT_TOKENS DIRECTORY. A server of chat completions, in which real llama.cpp answers, with random weights.
// It takes and refuses what llama.cpp does. `GET /control/asked` lists what each question was to llama.cpp.
// `POST /control/write` has a model write a text under a schema, and returns what it wrote.

/** What a question was to llama.cpp. `pictures`: the hashes of its different pictures. */
export type Asked = { pictures: string[]; tokens: number; refusal: string | null };

type Body = {
  messages: readonly { role: string; content: string | readonly { type: string }[] }[];
  max_tokens: number;
  temperature: number;
  response_format?: unknown;
};

const [port = "0", contextTokens = "4096", directory = "."] = process.argv.slice(2);
const [model, projector] = [join(directory, "model.gguf"), join(directory, "projector.gguf")];
await writeFile(model, randomModel());
await writeFile(projector, randomProjector());
// After a refusal, the binding takes no further question, so each question has the model to itself. Loading takes 20 ms.
const load = async () => {
  const llama = await loadModel(model, Number(contextTokens));
  if (!llama.initMultimodal({ path: projector, use_gpu: false })) throw new Error("llama.cpp refuses the projector.");
  return llama;
};
await (await load()).release();
const asked: Asked[] = [];
let last: Promise<unknown> = Promise.resolve();

const acts: Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>> = {
  "POST /v1/chat/completions": answer,
  "POST /control/write": write,
};
const server = createServer((request, response) => {
  const path = `${request.method} ${request.url}`;
  if (path === "GET /control/asked") return void response.end(JSON.stringify(asked));
  if (path === "GET /v1/models") return void response.end(JSON.stringify({ data: [{ id: "random" }] }));
  const act = acts[path];
  if (!act) return void response.writeHead(404).end();
  last = last.then(() => act(request, response)).catch((error: Error) => refuse(response, error));
});
server.listen(Number(port), "127.0.0.1");
process.once("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await last;
  process.exit(0);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages, max_tokens, temperature, response_format }: Body = await json(request);
  const types = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content.map(({ type }) => type)));
  if (types.some((type) => type !== "text" && type !== "image_url")) throw new Error("unsupported content[].type");
  const llama = await load();
  const format = response_format === undefined ? {} : { response_format };
  const { prompt, media_paths = [] } = llama.getFormattedChat(messages, undefined, {
    jinja: true,
    ...format,
  });
  const { tokens, bitmap_hashes } = await llama.tokenize(prompt, { media_paths });
  const pictures = bitmap_hashes.filter((hash) => hash.startsWith("source:"));
  const own: Asked = { pictures, tokens: tokens.length, refusal: null };
  asked.push(own);
  let written = 0;
  const event = (choices: object[], more: object = {}) => {
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(
      `data: ${JSON.stringify({ object: "chat.completion.chunk", model: "random", choices, ...more })}\n\n`,
    );
  };
  const stop = () => llama.stopCompletion();
  response.once("close", stop);
  try {
    const result = await llama.completion(
      { messages, ...format, n_predict: max_tokens, temperature },
      ({ content }) => {
        if (!content || content.length <= written) return;
        event([{ index: 0, delta: { content: content.slice(written) }, finish_reason: null }]);
        written = content.length;
      },
    );
    const rest = (result.content ?? result.text).slice(written);
    event([{ index: 0, delta: { content: rest }, finish_reason: result.stopped_eos ? "stop" : "length" }]);
    const [prompt_tokens, completion_tokens] = [tokens.length, result.tokens_predicted];
    event([], { usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } });
    response.end("data: [DONE]\n\n");
  } catch (error) {
    own.refusal = String(error);
    throw error;
  } finally {
    response.off("close", stop);
    await llama.release();
  }
}

/** llama.cpp has no way to try a text under a grammar, so a model that would write this text tries to. */
async function write(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { schema, text }: { schema: object; text: string } = await json(request);
  const path = join(directory, "spelling.gguf");
  await writeFile(path, spellingModel(text));
  const speller = await loadModel(path, 512);
  try {
    const response_format = { type: "json_schema", json_schema: { schema } };
    const messages = [{ role: "user", content: "x" }];
    const { grammar } = speller.getFormattedChat(messages, undefined, { jinja: true, response_format });
    const limits = { n_predict: Buffer.byteLength(text) + 1, temperature: 0 };
    response.end((await speller.completion({ prompt: "x", grammar, ...limits })).text);
  } finally {
    await speller.release();
  }
}

async function json(request: IncomingMessage) {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString("utf8"));
}

function refuse(response: ServerResponse, error: Error): void {
  if (response.headersSent) return void response.destroy();
  const body = { error: { code: 400, message: error.message, type: "invalid_request_error" } };
  response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(body));
}
