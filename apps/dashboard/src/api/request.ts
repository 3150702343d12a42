/** An error response of the service. `code` is one of the error catalogue, or "unreachable". */
export class ApiProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: readonly string[];
  readonly requestId: string | null;

  constructor(status: number, code: string, message: string, details: readonly string[], requestId: string | null) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

/** The base address of the dashboard's JSON routes. */
export const apiBase = "/dashboard/api";

/** Stores which account the page shows. Every change names it, and the service refuses a change to another account. */
export function showAccount(id: string | undefined): void {
  const { dataset } = document.documentElement;
  // Another tab signed in to another account: what this page shows is no longer true.
  if (dataset.account !== undefined && id !== undefined && dataset.account !== id) location.reload();
  if (id === undefined) delete dataset.account;
  else dataset.account = id;
}

/** Returns the header that names the account that the page shows, if it shows one. */
export function accountHeader(): Record<string, string> {
  const { account } = document.documentElement.dataset;
  return account === undefined ? {} : { "Dashboard-Account": account };
}

/** Reads JSON from a path below `apiBase`. Throws: `ApiProblem`. */
export async function read<Body>(path: string, signal?: AbortSignal): Promise<Body> {
  return (await (await request(path, signal ? { signal } : {})).json()) as Body;
}

/** Sends JSON and returns the JSON of the answer, or undefined if it is empty. Throws: `ApiProblem`. */
export async function send<Body>(
  method: "POST" | "PUT" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Body> {
  const response = await request(path, {
    method,
    headers: { ...accountHeader(), ...(body !== undefined && { "Content-Type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as Body;
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has("Accept")) headers.set("Accept", "application/json");
  let response: Response;
  try {
    response = await fetch(`${apiBase}/${path}`, { ...init, headers, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw unreachable();
  }
  if (response.ok) return response;
  throw problemOf(response.status, await response.text(), response.headers.get("X-Request-Id"));
}

/** Returns the problem of a request without a response. */
function unreachable(): ApiProblem {
  return new ApiProblem(
    0,
    "unreachable",
    "The service cannot be reached. Check the connection and try again.",
    [],
    null,
  );
}

/** Returns whether a request failed because the service, or a proxy before it, could not be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ApiProblem && [0, 502, 503, 504].includes(error.status);
}

/** Returns the problem that a response's body describes: our Error object, or better-auth's. */
export function problemOf(status: number, text: string, requestId: string | null): ApiProblem {
  const body = parsed(text) as {
    error?: { code?: string; message?: string; details?: string[] };
    code?: string;
    message?: string;
  } | null;
  const inside = typeof body?.error === "object" ? body.error : body;
  return new ApiProblem(
    status,
    inside?.code ?? (status === 401 ? "unauthorised" : "internal_error"),
    inside?.message ?? `The service answered with status ${status}. Try again.`,
    body?.error?.details ?? [],
    requestId,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
