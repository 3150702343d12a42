import type { Operation } from "./faults/faults.ts";
import { handleDeleteFile, handleGetFile, handleListFiles } from "./files/files.ts";
import { type GenerateDeps, handleGenerate } from "./generate/handle-generate.ts";
import { authenticate, type Exchange, header, invalidArgument, notFoundPage, type Reply } from "./protocol/exchange.ts";
import { continueUpload, startUpload, type UploadDeps, uploadOperation } from "./uploads/upload.ts";

/** What the routes need. */
export type RouteDeps = UploadDeps & GenerateDeps;

type Handle = (deps: RouteDeps, exchange: Exchange, owner: string) => Promise<Reply> | Reply;
type Route = { method: string; path: RegExp; operation: Operation; handle: Handle };

/** Gemini's routes, the same for v1 and v1beta. */
const routes: readonly Route[] = [
  { method: "GET", path: /^\/v1(?:beta)?\/files$/, operation: "list", handle: handleListFiles },
  { method: "GET", path: /^\/v1(?:beta)?\/files\/([^/]+)$/, operation: "get", handle: handleGetFile },
  { method: "DELETE", path: /^\/v1(?:beta)?\/files\/([^/]+)$/, operation: "delete", handle: handleDeleteFile },
  {
    method: "POST",
    path: /^\/(v1(?:beta)?)\/models\/([^/:]+):generateContent$/,
    operation: "generate",
    handle: handleGenerate,
  },
];

/** Answers a request to Gemini, and counts it. */
export function answerRoute(deps: RouteDeps, exchange: Exchange): Promise<Reply> | Reply {
  const { request, url } = exchange;
  const count = (operation: Operation) => {
    deps.journal.requests[operation] += 1;
  };
  const owner = () => authenticate(request, url);
  if (/^\/upload\/v1(?:beta)?\/files$/.test(url.pathname)) {
    const isStarted = url.searchParams.has("upload_id");
    if (!["POST", ...(isStarted ? ["PUT"] : [])].includes(request.method ?? "")) return notFoundPage;
    count(isStarted ? uploadOperation(exchange) : "start");
    if (isStarted) return continueUpload(deps, exchange);
    const key = owner();
    const protocol = header(request, "x-goog-upload-protocol")?.toLowerCase();
    if (protocol === "resumable") return startUpload(deps, exchange, key);
    throw invalidArgument(`Unsupported upload protocol: ${protocol ?? "none"}.`);
  }
  const route = routes.find(({ method, path }) => method === request.method && path.test(url.pathname));
  if (!route) return notFoundPage;
  count(route.operation);
  const params = (route.path.exec(url.pathname) ?? []).slice(1);
  return route.handle(deps, { ...exchange, params }, owner());
}
