import { type IncomingMessage, type ServerResponse, request as send } from "node:http";
import { serveLocally } from "@video-to-json/testing";

/**
 * The fate of one request: an answer instead of the service's, a head that comes late, or a cut, optionally after a number
 * of bytes. After a cut with a gap, the network is away for that time.
 */
export type Behaviour =
  | { answer: { status: number; headers?: Record<string, string>; body?: string; json?: object } }
  | { headAfterMs: number }
  | { cut: "at once" | "before the answer" | "after the head" | "within an event" | number; gapMs?: number };

export type Seen = { method: string; path: string; key: string | null; accept: string };

/** The first part of a path names a run, whose requests meet its script. `GET /<run>/seen` lists the requests. */
export async function startScriptedProxy(target: string) {
  const runs = new Map<string, { script: Behaviour[]; seen: Seen[]; awayUntil: number }>();
  const server = await serveLocally((request, response) => {
    const [, name = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const run = runs.get(name);
    request.on("error", () => {});
    if (!run) return void response.writeHead(404).end();
    if (path === "/seen") return void response.end(JSON.stringify(run.seen));
    if (Date.now() < run.awayUntil) return void request.socket.resetAndDestroy();
    const key = request.headers["idempotency-key"];
    run.seen.push({
      method: request.method ?? "",
      path,
      key: String(key ?? "") || null,
      accept: String(request.headers.accept),
    });
    const behaviour = run.script.shift();
    const { gapMs } = { gapMs: 0, ...behaviour };
    response.on("close", () => {
      run.awayUntil = Date.now() + gapMs;
    });
    behave(behaviour, { request, response, target: target + path });
  });
  return {
    ...server,
    begin: (name: string, script: readonly Behaviour[]) =>
      void runs.set(name, { script: [...script], seen: [], awayUntil: 0 }),
  };
}

type Exchange = { request: IncomingMessage; response: ServerResponse; target: string };

function behave(behaviour: Behaviour | undefined, exchange: Exchange): void {
  const { request, response } = exchange;
  if (!behaviour) {
    forward(exchange, () => false);
    return;
  }
  if ("answer" in behaviour) {
    const { status, headers = {}, body = "", json } = behaviour.answer;
    const type = json ? "application/json" : "text/html";
    request.on("end", () =>
      response.writeHead(status, { "content-type": type, ...headers }).end(json ? JSON.stringify(json) : body),
    );
    return void request.resume();
  }
  if ("headAfterMs" in behaviour) {
    return void setTimeout(() => forward(exchange, () => false), behaviour.headAfterMs);
  }
  const { cut } = behaviour;
  if (cut === "at once") return void request.socket.resetAndDestroy();
  if (typeof cut === "number") {
    let bytes = 0;
    return void request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > cut) request.socket.resetAndDestroy();
    });
  }
  forward(exchange, (response_) => {
    if (cut === "before the answer") request.socket.resetAndDestroy();
    else response.writeHead(response_.statusCode ?? 502, response_.headers).flushHeaders();
    // The head must have been sent before the cut.
    if (cut === "within an event") {
      response_.once("data", (chunk: Buffer) => response.write(chunk.subarray(0, -4), () => request.socket.destroy()));
    }
    if (cut === "after the head") setImmediate(() => setImmediate(() => request.socket.destroy()));
    return true;
  });
}

/** Forwards the request. If `takes` returns true for the answer's head, the rest of the answer is dropped. */
function forward({ request, response, target }: Exchange, takes: (answer: IncomingMessage) => boolean): void {
  const { host: _, ...headers } = request.headers;
  const onward = send(target, { method: request.method ?? "GET", headers }, (answer) => {
    if (takes(answer)) return void answer.resume().on("error", () => {});
    response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
    answer.on("error", () => response.destroy()).pipe(response);
    response.on("close", () => answer.destroy());
  });
  onward.on("error", () => response.destroy());
  request.pipe(onward);
}
