import { createHash, generateKeyPairSync, randomBytes, verify } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject } from "@video-to-json/contract";
import type { Operation } from "../faults/faults.ts";
import type { StoredFile } from "../files/files.ts";
import { answerGenerate, readGenerateBody } from "../generate/handle-generate.ts";
import {
  EarlyReply,
  type Exchange,
  header,
  invalidArgument,
  notFoundPage,
  type Reply,
  refusal,
} from "../protocol/exchange.ts";
import type { State } from "../state.ts";

/** The only project, region and bucket that it has. */
const place = { project: "emulated-project", location: "europe-west4", bucket: "emulated-bucket" };

const owner = "vertex";
const client = `emulator@${place.project}.iam.gserviceaccount.com`;
const tokenSeconds = 3600;

/** Answers the requests of one emulator that plays Vertex AI. */
export type Vertex = (state: State, exchange: Exchange) => Promise<Reply>;

type Objects = Map<string, { file: StoredFile; type: string; at: string }>;

/** Creates what plays Vertex AI, its token server, the metadata server of a machine, and one bucket of Cloud Storage. */
export function createVertex(): Vertex {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const tokens = new Set<string>();
  const objects: Objects = new Map();
  const bucket = { softDeleteSeconds: 0 };

  return async function handleVertex(state: State, exchange: Exchange): Promise<Reply> {
    const { request, url, origin } = exchange;
    const route = `${request.method} ${url.pathname}`;
    const key = { type: "service_account", project_id: place.project, private_key_id: "one", private_key: privateKey };
    if (route === "GET /control/service-account")
      return { status: 200, json: { ...key, client_email: client, client_id: "1", token_uri: `${origin}/token` } };
    if (route === "DELETE /control/tokens") {
      tokens.clear();
      return { status: 200, json: {} };
    }
    if (route === "PUT /control/soft-delete") {
      bucket.softDeleteSeconds = Number(url.searchParams.get("seconds"));
      return { status: 200, json: {} };
    }
    const newToken = (): Reply => {
      const token = `ya29.${randomBytes(24).toString("base64url")}`;
      tokens.add(token);
      return { status: 200, json: { access_token: token, expires_in: tokenSeconds, token_type: "Bearer" } };
    };
    if (route === "POST /token") {
      const form = new URLSearchParams(await readText(exchange));
      checkAssertion(form, publicKey);
      return newToken();
    }
    if (url.pathname.startsWith("/computeMetadata/v1/")) return metadata(exchange, newToken);
    const [scheme, token = ""] = (header(request, "authorization") ?? "").split(" ");
    if (scheme !== "Bearer" || !tokens.has(token)) {
      const words = "Request had invalid authentication credentials. Expected OAuth 2 access token.";
      throw refusal(401, "UNAUTHENTICATED", words);
    }
    if (header(request, "x-goog-api-key") !== undefined)
      throw invalidArgument("API keys are not supported by this API. Expected OAuth2 access token.");
    const count = (operation: Operation) => {
      state.journal.requests[operation] += 1;
      return exchange.injectFault(operation);
    };
    const question =
      /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/google\/models\/([^/:]+):generateContent$/.exec(
        url.pathname,
      );
    if (question && request.method === "POST") {
      state.journal.requests.generate += 1;
      const [, project, location, model = ""] = question;
      if (project !== place.project)
        throw refusal(
          403,
          "PERMISSION_DENIED",
          `Permission 'aiplatform.endpoints.predict' denied on resource ${project}.`,
        );
      if (location !== place.location)
        throw refusal(404, "NOT_FOUND", `Publisher Model ${model} was not found in location ${location}.`);
      const body = await readGenerateBody(exchange);
      if (Object.hasOwn(body, "store"))
        throw invalidArgument('Invalid JSON payload received. Unknown name "store": Cannot find field.');
      const asked = { ...(withFiles(body, objects) as Record<string, unknown>), store: false };
      return answerGenerate(state, { ...exchange, params: ["v1beta", model] }, owner, asked);
    }
    return answerStorage({ state, exchange, objects, softDeleteSeconds: bucket.softDeleteSeconds, count });
  };
}

/** The audience is Google's address also where a proxy or a private endpoint takes the request. */
function checkAssertion(form: URLSearchParams, publicKey: string): void {
  const wrong = (words: string) =>
    new EarlyReply({ status: 400, json: { error: "invalid_grant", error_description: words } }, words);
  if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") throw wrong("Unsupported grant type.");
  const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
  const read = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString() || "{}");
  if (read(head).alg !== "RS256") throw wrong("Invalid JWT: alg.");
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify("sha256", signed, publicKey, Buffer.from(signature, "base64url"))) throw wrong("Invalid JWT Signature.");
  const { iss, aud, scope, iat, exp } = read(claims);
  const now = Date.now() / 1000;
  if (iss !== client || aud !== "https://oauth2.googleapis.com/token") throw wrong("Invalid JWT: iss or aud.");
  if (!String(scope).includes("cloud-platform")) throw wrong("Invalid scope.");
  if (!(exp > now && exp <= iat + 3600 && iat <= now + 60)) throw wrong("Invalid JWT: iat and exp.");
}

function metadata({ request, url }: Exchange, newToken: () => Reply): Reply {
  const headers = { "metadata-flavor": "Google" };
  if (header(request, "metadata-flavor") !== "Google") return { status: 403, text: "Missing Metadata-Flavor", headers };
  if (url.pathname.endsWith("/token")) return { ...newToken(), headers };
  if (url.pathname.endsWith("/project-id")) return { status: 200, text: place.project, headers };
  return { status: 200, text: "ok", headers: { ...headers, "content-type": "text/plain" } };
}

/** Replaces the addresses of objects by those of the files that hold them. */
function withFiles(node: unknown, objects: Objects): unknown {
  if (Array.isArray(node)) return node.map((each) => withFiles(each, objects));
  if (!isJsonObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => {
      if (name !== "fileUri") return [name, withFiles(value, objects)];
      const found = objects.get(/^gs:\/\/([^/]+)\/(.+)$/.exec(String(value))?.[2] ?? "");
      if (!found || !String(value).startsWith(`gs://${place.bucket}/`))
        throw refusal(400, "INVALID_ARGUMENT", `Cannot fetch content from the provided URL: ${value}`);
      return [name, `http://emulator/v1beta/files/${found.file.id}`];
    }),
  );
}

type Storage = {
  state: State;
  exchange: Exchange;
  objects: Objects;
  softDeleteSeconds: number;
  count(operation: Operation): Promise<unknown>;
};

async function answerStorage({ state, exchange, objects, softDeleteSeconds, count }: Storage): Promise<Reply> {
  const { request, url } = exchange;
  const [, upload, bucket, path, encoded] =
    /^(\/upload)?\/storage\/v1\/b\/([^/]+)(\/o)?(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
  if (bucket === undefined) return notFoundPage;
  if (bucket !== place.bucket) throw refusal(404, "notFound", "The specified bucket does not exist.");
  const resource = (name: string, { file, type, at }: NonNullable<ReturnType<Objects["get"]>>) => ({
    ...{ kind: "storage#object", bucket, name, contentType: type, size: String(file.size), timeCreated: at },
  });
  if (path === undefined) {
    const policy = { softDeletePolicy: { retentionDurationSeconds: String(softDeleteSeconds) } };
    return { status: 200, json: { kind: "storage#bucket", name: bucket, ...policy } };
  }
  if (upload && request.method === "POST") {
    await count("chunk");
    const name = url.searchParams.get("name");
    if (url.searchParams.get("uploadType") !== "media" || !name) throw invalidArgument("Required parameter: name");
    const bytes = await readBytes(exchange);
    if (bytes.length !== Number(header(request, "content-length"))) throw invalidArgument("The body is incomplete.");
    const stored = join(state.dir, randomBytes(24).toString("base64url"));
    await writeFile(stored, bytes);
    state.journal.uploadedBytes += bytes.length;
    const type = header(request, "content-type") ?? "";
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const old = objects.get(name);
    if (old) await state.files.remove(old.file);
    const file = state.files.add({
      owner,
      path: stored,
      size: bytes.length,
      sha256,
      mimeType: type,
      displayName: name,
    });
    // Vertex AI reads an object when a question names it.
    while (file.state === "PROCESSING" && !state.closing.aborted) await sleep(5);
    const object = { file, type, at: new Date().toISOString() };
    objects.set(name, object);
    return { status: 200, json: resource(name, object) };
  }
  if (encoded === undefined) {
    await count("list");
    const prefix = url.searchParams.get("prefix") ?? "";
    const items = [...objects].filter(([name]) => name.startsWith(prefix)).map(([name, each]) => resource(name, each));
    return { status: 200, json: { kind: "storage#objects", ...(items.length > 0 ? { items } : {}) } };
  }
  const name = decodeURIComponent(encoded);
  await count(request.method === "DELETE" ? "delete" : "get");
  const object = objects.get(name);
  if (!object) throw refusal(404, "notFound", `No such object: ${bucket}/${name}`);
  if (request.method !== "DELETE") return { status: 200, json: resource(name, object) };
  objects.delete(name);
  await state.files.remove(object.file);
  return { status: 204 };
}

async function readBytes({ request }: Exchange): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function readText(exchange: Exchange): Promise<string> {
  return (await readBytes(exchange)).toString("utf8");
}
