import { createHash } from "node:crypto";
import { type KeyScope, Problem } from "@video-to-json/contract";
import { createKey, type Db, findAccountCaller, takeConsent } from "@video-to-json/database";
import type { RateLimiter } from "@video-to-json/queue";
import { readTextBody } from "@video-to-json/runtime/http";
import { type ErrorRequestHandler, type Request, type RequestHandler, Router } from "express";
import onHeaders from "on-headers";
import { unknownRoute } from "../../errors/on-error.ts";
import type { DashboardParts } from "../dashboard.ts";
import type { ReadBodyDeps } from "../read-body.ts";
import { mailOf } from "../routes/sign-in.ts";
import { limitHosts } from "../sign-in/limit-sign-in.ts";
import { baseOf, clientIdOf, readHost } from "./host-request.ts";

type Deps = ReadBodyDeps & {
  readonly db: Db;
  readonly limiter: Pick<RateLimiter, "take">;
  readonly keyPrefix: string;
  readonly publicUrl: string | undefined;
  readonly keysUrl: string | undefined;
  /** Undefined: nobody can sign in. */
  readonly dashboard: Pick<DashboardParts, "signIn" | "mailer"> | undefined;
};

/** What a code fetches: a key with these limits, for the host that can prove itself. */
export type Consent = {
  readonly accountId: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly name: string;
  readonly scope: KeyScope;
  readonly monthlyMinutes: number | null;
  readonly endsAt: string | null;
};

/**
 * Returns the routes by which a program that has only the address of the service gets a key from its user: OAuth 2.1 as
 * MCP asks for it (docs/decisions/0008, "Sign-in for hosts"). The access token is an API key. Paths are those
 * that clients of 2025-03-26 try without metadata.
 */
export function hostSignIn(deps: Deps): Router {
  const { db, publicUrl, dashboard } = deps;
  const isOn = (request: Request) => dashboard !== undefined && mailOf({ ...dashboard, publicUrl }, request) !== "none";
  const whereOn: RequestHandler = (request, response, next) =>
    isOn(request) ? next() : unknownRoute(request, response, next);
  const router = Router({ strict: true, caseSensitive: true });

  router.use("/v1/mcp", (request, response, next) => {
    onHeaders(response, () => {
      const challenge = response.get("WWW-Authenticate");
      if (challenge === undefined || !isOn(request)) return;
      const metadata = `${baseOf(publicUrl, request)}/.well-known/oauth-protected-resource/v1/mcp`;
      response.set("WWW-Authenticate", `${challenge}, resource_metadata="${metadata}"`);
    });
    next();
  });
  const resource = "/.well-known/oauth-protected-resource";
  router.get([resource, `${resource}/v1/mcp`], whereOn, (request, response) => {
    const base = baseOf(publicUrl, request);
    response.json({
      resource: `${base}/v1/mcp`,
      authorization_servers: [base],
      scopes_supported: ["extract", "read"],
      bearer_methods_supported: ["header"],
      resource_name: "video-to-json",
    });
  });
  router.get("/.well-known/oauth-authorization-server", whereOn, (request, response) => {
    const base = baseOf(publicUrl, request);
    response.json({
      issuer: base,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      scopes_supported: ["extract", "read"],
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code"],
      token_endpoint_auth_methods_supported: ["none"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    });
  });
  // One parameter, so that no router on the way reads the values anew.
  router.get("/authorize", whereOn, (request, response) => {
    const query = new URL(request.originalUrl, "http://localhost").search.slice(1);
    response.redirect(302, `dashboard/connect?request=${Buffer.from(query).toString("base64url")}`);
  });
  router.post("/register", async (request, response) => {
    if (dashboard === undefined || !isOn(request)) throw noSignIn(deps.keysUrl);
    await limitHosts(deps, "register", request.ip);
    const host = readHost(parseObject(await readTextBody(deps, request, response)));
    response.status(201).json({
      client_id: await clientIdOf(dashboard, host),
      client_id_issued_at: Math.floor(Date.now() / 1000),
      client_name: host.name,
      redirect_uris: host.redirectUris,
      grant_types: ["authorization_code"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });
  router.post("/token", whereOn, async (request, response) => {
    await limitHosts(deps, "token", request.ip);
    const given = new URLSearchParams(await readTextBody(deps, request, response));
    const get = (name: string) => given.get(name) ?? "";
    if (get("grant_type") !== "authorization_code") {
      const reason = "This service knows `grant_type` `authorization_code` only. A key needs no refresh.";
      throw new Refusal("unsupported_grant_type", reason);
    }
    const consent = (await takeConsent(db, get("code"))) as Consent | undefined;
    const isTheirs =
      consent !== undefined &&
      consent.clientId === get("client_id") &&
      consent.redirectUri === get("redirect_uri") &&
      consent.challenge === createHash("sha256").update(get("code_verifier")).digest("base64url");
    if (!isTheirs || !(await findAccountCaller(db, consent.accountId))) {
      const reason = "The code is unknown, was used, is older than a minute, or belongs to another request.";
      throw new Refusal("invalid_grant", reason);
    }
    const { accountId, name, scope, monthlyMinutes } = consent;
    const endsAt = consent.endsAt === null ? null : new Date(consent.endsAt);
    const { key } = await createKey(db, { accountId, name, scope, monthlyMinutes, endsAt, keyPrefix: deps.keyPrefix });
    const seconds = endsAt === null ? {} : { expires_in: Math.floor((endsAt.getTime() - Date.now()) / 1000) };
    response.json({ access_token: key, token_type: "Bearer", scope, ...seconds });
  });
  router.use(["/register", "/token"], unknownRoute, answerHosts);
  return router;
}

/** A failure with the code that OAuth gives it. */
class Refusal extends Error {
  readonly code: string;

  constructor(code: string, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Clients of OAuth read no other form of errors. */
const answerHosts: ErrorRequestHandler = (error, request, response, next) => {
  if (error instanceof Refusal) {
    response.status(400).json({ error: error.code, error_description: error.message });
    return;
  }
  const codes: Record<string, string> = {
    rate_limited: "temporarily_unavailable",
    invalid_request: request.baseUrl === "/register" ? "invalid_client_metadata" : "invalid_request",
  };
  const code = error instanceof Problem ? codes[error.code] : undefined;
  if (code === undefined) return next(error);
  response.status(error.status).set(error.headers).json({ error: code, error_description: error.message });
};

function noSignIn(keysUrl: string | undefined): Refusal {
  const where = keysUrl ? `make a key at ${keysUrl}, or ask the operator for one` : "ask the operator for a key";
  return new Refusal(
    "invalid_client_metadata",
    `This service has no OAuth. The API key is missing or wrong: send it as \`Authorization: Bearer <API_KEY>\`; ${where}.`,
  );
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new Problem("invalid_request", { reason: "The body is not a JSON object. Send one." });
}
