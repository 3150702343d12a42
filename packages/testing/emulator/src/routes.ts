import type { Operation } from "./faults/fault.ts";
import { handleDeleteFile, handleGetFile, handleListFiles } from "./files/handle-files.ts";
import { type GenerateDeps, handleGenerate } from "./generate/handle-generate.ts";
import { findModel, modelResource } from "./generate/models.ts";
import { invalidArgument } from "./protocol/api-error.ts";
import { authenticate } from "./protocol/authenticate.ts";
import { type Exchange, header } from "./protocol/exchange.ts";
import { notFoundPage, type Reply } from "./protocol/reply.ts";
import type { UploadDeps } from "./uploads/handle-chunk.ts";
import { handleMultipart } from "./uploads/handle-multipart.ts";
import { handleStart } from "./uploads/handle-start.ts";
import { handleUpload, uploadOperation } from "./uploads/handle-upload.ts";

/** What the routes need. */
export type RouteDeps = UploadDeps &
  GenerateDeps & {
    /** The only valid key, if there is one. */
    readonly apiKey: string | undefined;
  };

type Route = {
  method: string;
  path: RegExp;
  /** Returns the operation that a request counts as, if it is counted. */
  operation(exchange: Exchange): Operation | undefined;
  handle(deps: RouteDeps, exchange: Exchange): Promise<Reply> | Reply;
};

/** Gemini's routes, the same for v1 and v1beta. */
const routes: readonly Route[] = [
  { method: "POST", path: /^\/upload\/v1(?:beta)?\/files$/, operation: countUpload, handle: uploadFile },
  { method: "PUT", path: /^\/upload\/v1(?:beta)?\/files$/, operation: countUpload, handle: uploadFile },
  { method: "GET", path: /^\/v1(?:beta)?\/files$/, operation: () => "list", handle: withKey(handleListFiles) },
  { method: "GET", path: /^\/v1(?:beta)?\/files\/([^/]+)$/, operation: () => "get", handle: withKey(handleGetFile) },
  {
    method: "DELETE",
    path: /^\/v1(?:beta)?\/files\/([^/]+)$/,
    operation: () => "delete",
    handle: withKey(handleDeleteFile),
  },
  { method: "GET", path: /^\/(v1(?:beta)?)\/models$/, operation: () => undefined, handle: withKey(listModels) },
  { method: "GET", path: /^\/(v1(?:beta)?)\/models\/([^/:]+)$/, operation: () => undefined, handle: withKey(getModel) },
  {
    method: "POST",
    path: /^\/(v1(?:beta)?)\/models\/([^/:]+):(generateContent|streamGenerateContent)$/,
    operation: () => "generate",
    handle: withKey(handleGenerate),
  },
];

/** Returns the route of a request and the groups of its path, or undefined for an unknown path. */
export function findRoute(method: string | undefined, url: URL): { route: Route; params: string[] } | undefined {
  for (const route of routes) {
    const match = route.method === method ? route.path.exec(url.pathname) : null;
    if (match) return { route, params: match.slice(1).map(decode) };
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withKey(
  handle: (deps: RouteDeps, exchange: Exchange, owner: string) => Promise<Reply> | Reply,
): Route["handle"] {
  return (deps, exchange) => handle(deps, exchange, authenticate(exchange.request, exchange.url, deps.apiKey));
}

function countUpload(exchange: Exchange): Operation {
  if (exchange.url.searchParams.has("upload_id")) return uploadOperation(exchange);
  return uploadProtocol(exchange) === "multipart" ? "chunk" : "start";
}

function uploadProtocol({ request, url }: Exchange): string | undefined {
  return header(request, "x-goog-upload-protocol")?.toLowerCase() ?? url.searchParams.get("uploadType")?.toLowerCase();
}

function uploadFile(deps: RouteDeps, exchange: Exchange): Promise<Reply> | Reply {
  if (exchange.url.searchParams.has("upload_id")) return handleUpload(deps, exchange);
  const owner = authenticate(exchange.request, exchange.url, deps.apiKey);
  if (exchange.request.method !== "POST") return notFoundPage;
  const protocol = uploadProtocol(exchange);
  if (protocol === "multipart") return handleMultipart(deps, exchange, owner);
  if (protocol === "resumable") return handleStart(deps, exchange, owner);
  throw invalidArgument(`Unsupported upload protocol: ${protocol ?? "none"}.`);
}

function listModels({ models }: RouteDeps): Reply {
  return { status: 200, json: { models: [...models.values()].map(modelResource) } };
}

function getModel({ models }: RouteDeps, { params }: Exchange): Reply {
  const [version = "", id = ""] = params;
  return { status: 200, json: modelResource(findModel(models, id, version)) };
}
