import { isJsonObject, type Limits, Problem } from "@video-to-json/contract";
import { limitConcurrentBodies, readTextBody, type UploadRate } from "@video-to-json/runtime/http";
import { depthOf, hasMoreValuesThan, type RawMember, readMembers } from "@video-to-json/schema";
import type { Request, Response } from "express";
import { callerOf } from "../caller/authenticate.ts";
import { countRequest, type LimitRateDeps } from "../caller/limit-rate.ts";
import { asProblem } from "../errors/on-error.ts";
import { maxBodiesInFlight, maxJsonValues } from "../extract/check-before-body.ts";
import { RpcError, rpcCodes } from "./exchange.ts";

/** The parts of a JSON-RPC message that the server reads itself. */
export type Message = {
  /**
   * The parsed message for the MCP library, without the arguments of a tool. Only the text of the arguments keeps their
   * exact meaning.
   */
  body: Record<string, unknown>;
  /** The name of the tool, for a `tools/call`. */
  tool: string | undefined;
  /** The tool's arguments with their texts. Undefined when they are not an object. */
  arguments: ReadonlyMap<string, RawMember> | undefined;
};

const maxDepth = 64;
const maxTokenCharacters = 1024;

/**
 * Reads one message and parses it once. Throws RpcError for a message with more than `maxValues` JSON values, before
 * any of it is parsed, and for anything that is not a single message. Batches are refused: each of their messages would
 * be work of its own within one counted request.
 */
export function readMessage(text: string, maxValues: number): Message {
  const members = membersOf(parse(text, maxValues));
  const params = members.get("params");
  const isCall = members.get("method")?.value === "tools/call" && isObject(params);
  const paramMembers = isCall ? membersOf(params) : undefined;
  const given = paramMembers?.get("arguments");
  paramMembers?.delete("arguments");
  for (const [name, { raw }] of [...members, ...(paramMembers ?? [])]) {
    if (!(isCall && name === "params") && depthOf(raw) > maxDepth) {
      throw new RpcError(400, rpcCodes.invalidRequest, `The message is nested more than ${maxDepth} levels deep.`);
    }
  }
  const body = plain(members);
  // The MCP library would return it, and no response may have such an id.
  if (typeof body.id === "number" && !Number.isInteger(body.id)) {
    throw new RpcError(400, rpcCodes.invalidRequest, "The `id` is a fraction. Send a text or an integer.");
  }
  requireParams(body);
  limitProgressToken(body);
  if (paramMembers) body.params = { ...plain(paramMembers), arguments: {} };
  const name = paramMembers?.get("name")?.value;
  return {
    body,
    tool: typeof name === "string" ? name : undefined,
    arguments: given === undefined || given.value === null ? new Map() : isObject(given) ? membersOf(given) : undefined,
  };
}

/** Checks the params that the library requires. It would report missing ones as an internal error. */
function requireParams({ id, method, params }: Record<string, unknown>): void {
  if (method !== "initialize" && method !== "tools/call") return;
  const isValid =
    isJsonObject(params) && (method === "initialize" ? isInitialize(params) : typeof params.name === "string");
  // The protocol of 2026, whose messages name it in `_meta`, has no `initialize`. The library reports that.
  if (isValid || (method === "initialize" && isJsonObject(params) && namesProtocol(params._meta))) return;
  const needs = method === "initialize" ? "`protocolVersion`, `capabilities` and `clientInfo`" : "the tool's `name`";
  throw new RpcError(400, rpcCodes.invalidParams, `The params of \`${method}\` are wrong. Send ${needs}.`, idOf(id));
}

/** Limits the length of the progress token, which every notification returns to the caller. */
function limitProgressToken({ id, params }: Record<string, unknown>): void {
  const meta = isJsonObject(params) && isJsonObject(params._meta) ? params._meta : {};
  if (typeof meta.progressToken !== "string" || meta.progressToken.length <= maxTokenCharacters) return;
  const most = `longer than ${maxTokenCharacters} characters`;
  throw new RpcError(400, rpcCodes.invalidParams, `\`progressToken\` is ${most}. Send a shorter one.`, idOf(id));
}

function idOf(id: unknown): string | number | null {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function isInitialize({ protocolVersion, capabilities, clientInfo }: Record<string, unknown>): boolean {
  return (
    typeof protocolVersion === "string" &&
    isJsonObject(capabilities) &&
    isJsonObject(clientInfo) &&
    typeof clientInfo.name === "string" &&
    typeof clientInfo.version === "string"
  );
}

function namesProtocol(meta: unknown): boolean {
  return isJsonObject(meta) && typeof meta["io.modelcontextprotocol/protocolVersion"] === "string";
}

function parse(text: string, maxValues: number): RawMember {
  if (hasMoreValuesThan(text, maxValues)) {
    const most = `more than ${maxValues} JSON values`;
    throw new RpcError(400, rpcCodes.invalidRequest, `The message holds ${most}. Send a smaller one.`);
  }
  try {
    return { raw: text, value: JSON.parse(text) };
  } catch {
    throw new RpcError(400, rpcCodes.parseError, "The body is not valid JSON. Send one JSON-RPC message.");
  }
}

function membersOf(member: RawMember): Map<string, RawMember> {
  if (Array.isArray(member.value)) {
    throw new RpcError(400, rpcCodes.invalidRequest, "Batches are not supported. Send one message per request.");
  }
  if (!isObject(member)) {
    throw new RpcError(400, rpcCodes.invalidRequest, "The body is not a JSON-RPC message. Send a JSON object.");
  }
  try {
    return readMembers(member);
  } catch (error) {
    if (error instanceof Problem) throw new RpcError(400, rpcCodes.invalidRequest, error.message);
    throw error;
  }
}

function isObject(member: RawMember | undefined): member is RawMember {
  return isJsonObject(member?.value);
}

function plain(members: ReadonlyMap<string, RawMember>): Record<string, unknown> {
  return Object.fromEntries([...members].map(([name, { value }]) => [name, value]));
}

export type ReadRequestMessageDeps = UploadRate &
  LimitRateDeps & { readonly limits: Pick<Limits, "maxSchemaBytes" | "maxJobsPerAccount"> };

type RequestMessage = {
  message: Message;
  /** The rate limit, or the scope of the key, refuses this call of a tool. */
  refusal: Problem | undefined;
};

// A longer message can only be an extraction, so it counts as one before it is parsed.
const longMessage = 64 * 1024;

/**
 * Creates the function that reads the message of a request and counts it against the account's rate limit. The call of
 * a tool over the limit, or beyond the scope of the key, fails as tools do, by `refusal`. The function throws RpcError,
 * rate_limited, unauthorised, and what `readTextBody` throws.
 */
export function createMessageReader(
  deps: ReadRequestMessageDeps,
): (request: Request, response: Response) => Promise<RequestMessage> {
  const bodies = limitConcurrentBodies("rate_limited");

  return async (request, response) => {
    let counted: Promise<void> | undefined;
    const countOnce = (kind: "extract" | "read") => {
      counted ??= countRequest(deps, response, { kind, scope: kind });
      return counted;
    };
    const read = async () => {
      if (request.method !== "POST") {
        response.set("Allow", "POST");
        throw new RpcError(
          405,
          rpcCodes.refused,
          "Send messages by POST: there are no sessions and no stream to open.",
        );
      }
      const caller = callerOf(response);
      const owner = { id: caller.accountId, max: maxBodiesInFlight(caller, deps.limits) };
      const text = await bodies.run(request, owner, () => readTextBody(deps, request, response));
      if (text.length > longMessage) await countOnce("extract");
      return readMessage(text, maxJsonValues(deps.limits));
    };
    const message = await read().catch(async (error) => {
      await countOnce("read");
      throw error;
    });
    const count = countOnce(message.tool === "extract" ? "extract" : "read").then(() => undefined);
    return { message, refusal: message.tool === undefined ? await count : await count.catch(asProblem) };
  };
}
