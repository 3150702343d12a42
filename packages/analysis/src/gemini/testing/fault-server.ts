import { createHash, type Hash } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { serveLocally } from "@video-to-json/testing";

type Call = "start" | "chunk" | "query" | "cancel" | "get" | "list" | "delete" | "generate";

/** One received request. `body` is empty for chunks; only their bytes are counted. */
type Seen = { call: Call; url: string; headers: IncomingHttpHeaders; body: string; bytes: number };

/** Answers one request instead of the protocol. `proceed` answers as the protocol does. */
export type Act = (exchange: {
  request: IncomingMessage;
  response: ServerResponse;
  session: Session | undefined;
  proceed(): Promise<void>;
}) => Promise<void> | void;

export type Session = {
  size: number;
  displayName: string;
  mimeType: string;
  received: number;
  hash: Hash;
  state: string;
};
type StoredFile = Record<string, unknown> & { name: string };

const granularity = 8 * 1024 * 1024;

/** Starts a loopback server that speaks Gemini's protocol strictly, except where a test makes it fail. */
export async function startFaultServer(options: { uploadOrigin?: string; granularity?: string } = {}) {
  const seen: Seen[] = [];
  const files = new Map<string, StoredFile>();
  const sessions = new Map<string, Session>();
  const script = new Map<Call, Act[]>();
  let answer: unknown = answerOf('{"ok":true}');
  let count = 0;

  const server = await serveLocally((request, response) => {
    void handle(request, response).catch(() => response.destroy());
  });
  const { url } = server;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? "/", url);
    const call = callOf(request, address);
    const entry: Seen = { call, url: request.url ?? "", headers: request.headers, body: "", bytes: 0 };
    seen.push(entry);
    const session = sessions.get(address.searchParams.get("upload_id") ?? "");
    if (call === "chunk" && session) {
      request.on("data", (piece: Buffer) => {
        entry.bytes += piece.length;
      });
      request.pause();
    } else entry.body = await textOf(request);
    const proceed = () => protocol[call](request, response, entry, address, session);
    const act = script.get(call)?.shift();
    await (act ? act({ request, response, session, proceed }) : proceed());
  }

  type Step = (
    request: IncomingMessage,
    response: ServerResponse,
    entry: Seen,
    address: URL,
    session: Session | undefined,
  ) => Promise<void>;
  const protocol: Record<Call, Step> = {
    async start(request, response, entry) {
      const id = `upload-${++count}`;
      const { file } = JSON.parse(entry.body) as { file: { display_name: string } };
      sessions.set(id, {
        size: Number(request.headers["x-goog-upload-header-content-length"]),
        mimeType: String(request.headers["x-goog-upload-header-content-type"]),
        displayName: file.display_name,
        received: 0,
        hash: createHash("sha256"),
        state: "active",
      });
      response.setHeader(
        "x-goog-upload-url",
        `${options.uploadOrigin ?? url}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`,
      );
      response.setHeader("x-goog-upload-status", "active");
      response.setHeader("x-goog-upload-chunk-granularity", options.granularity ?? String(granularity));
      response.end();
    },
    async chunk(request, response, _entry, _address, session) {
      if (session?.state !== "active") return sendError(response, 400, "Upload has already been terminated.");
      const command = String(request.headers["x-goog-upload-command"]);
      if (Number(request.headers["x-goog-upload-offset"]) !== session.received) {
        request.resume();
        return sendError(response, 400, "Bad offset.");
      }
      const before = session.received;
      for await (const piece of request as AsyncIterable<Buffer>) keep(session, piece);
      if (!command.includes("finalize")) {
        if ((session.received - before) % granularity !== 0) return sendError(response, 400, "Bad chunk size.");
        response.setHeader("x-goog-upload-status", "active");
        response.end();
        return;
      }
      const file = finalize(session);
      response.setHeader("x-goog-upload-status", "final");
      sendJson(response, 200, { file: { ...file, state: "PROCESSING" } });
    },
    async query(_request, response, _entry, _address, session) {
      if (!session) return sendError(response, 404, "Not found.");
      response.setHeader("x-goog-upload-status", session.state);
      if (session.state === "active") response.setHeader("x-goog-upload-size-received", String(session.received));
      response.end();
    },
    async cancel(_request, response, _entry, _address, session) {
      if (session) session.state = "cancelled";
      response.setHeader("x-goog-upload-status", "cancelled");
      response.end();
    },
    async get(_request, response, _entry, address) {
      const file = files.get(address.pathname.replace(/^.*\/v1beta\//, ""));
      if (file) sendJson(response, 200, file);
      else
        sendError(
          response,
          403,
          "You do not have permission to access the File x or it may not exist.",
          "PERMISSION_DENIED",
        );
    },
    async list(_request, response, _entry, address) {
      const all = [...files.values()];
      const from = Number(address.searchParams.get("pageToken") ?? 0);
      const page = all.slice(from, from + 2);
      sendJson(response, 200, {
        ...(page.length > 0 ? { files: page } : {}),
        ...(from + 2 < all.length ? { nextPageToken: String(from + 2) } : {}),
      });
    },
    async delete(_request, response, _entry, address) {
      files.delete(address.pathname.replace(/^.*\/v1beta\//, ""));
      sendJson(response, 200, {});
    },
    async generate(_request, response) {
      sendJson(response, 200, answer);
    },
  };

  function finalize(session: Session): StoredFile {
    session.state = "final";
    const name = `files/f${++count}`;
    const file = {
      name,
      displayName: session.displayName,
      mimeType: session.mimeType,
      sizeBytes: String(session.received),
      createTime: new Date(1_700_000_000_000 + count * 1000).toISOString(),
      uri: `https://generativelanguage.googleapis.com/v1beta/${name}`,
      state: "ACTIVE",
      sha256: session.hash.digest("hex"),
    };
    files.set(name, file);
    return file;
  }

  return {
    url,
    seen,
    calls: () => seen.map(({ call }) => call),
    files,
    /** Answers the next calls of a kind with these acts, one act per call. */
    next(call: Call, ...acts: Act[]) {
      script.set(call, [...(script.get(call) ?? []), ...acts]);
    },
    /** Sets the answer to every generate call that has no act. */
    answer(body: unknown) {
      answer = body;
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>;

/** Returns a complete answer with this text. */
export function answerOf(text: string, overrides: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP", index: 0, ...overrides }],
    usageMetadata: { promptTokenCount: 700, promptTokensDetails: [{ modality: "VIDEO", tokenCount: 700 }] },
    modelVersion: "small-1",
  };
}

export function keep(session: Session, piece: Buffer): void {
  session.hash.update(piece);
  session.received += piece.length;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
  response.end(JSON.stringify(body));
}

export function sendError(
  response: ServerResponse,
  code: number,
  message: string,
  status = "INVALID_ARGUMENT",
  details: unknown[] = [],
): void {
  sendJson(response, code, { error: { code, message, status, ...(details.length > 0 ? { details } : {}) } });
}

function callOf(request: IncomingMessage, address: URL): Call {
  const command = request.headers["x-goog-upload-command"];
  if (command === "start" || command === "query" || command === "cancel") return command;
  if (command !== undefined) return "chunk";
  if (request.method === "DELETE") return "delete";
  if (request.method === "GET") return address.pathname.endsWith("/files") ? "list" : "get";
  return "generate";
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
