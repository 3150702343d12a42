import { isJsonObject, Problem } from "@video-to-json/contract";
import { depthOf, holdsMoreValues, type RawMember, readMembers } from "@video-to-json/schema-input";
import { RpcFault, rpcCodes } from "./rpc-fault.ts";

/** One JSON-RPC message, as far as it concerns us. */
export type Message = {
  /** For the protocol library: parsed, and without the arguments of a tool, whose meaning is in how they are written. */
  body: Record<string, unknown>;
  /** The tool of a `tools/call`. */
  tool: string | undefined;
  /** Its arguments with their texts; undefined when they are no object. */
  arguments: ReadonlyMap<string, RawMember> | undefined;
};

const maxDepth = 64;
const maxTokenCharacters = 1024;

/**
 * Reads one message, parsing it once. Throws RpcFault for one of more than `maxValues` JSON values, before any of it is
 * parsed, and for what is no single message: batches are refused, since each of their messages would be work of its own
 * under one request.
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
      throw new RpcFault(400, rpcCodes.invalidRequest, `The message is nested more than ${maxDepth} levels deep.`);
    }
  }
  const body = plain(members);
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

/** The library tells of these in words of its own, as if the fault were ours. */
function requireParams({ id, method, params }: Record<string, unknown>): void {
  if (method !== "initialize" && method !== "tools/call") return;
  const good =
    isJsonObject(params) && (method === "initialize" ? isIntroduction(params) : typeof params.name === "string");
  // In the protocol of 2026, whose messages carry `_meta`, there is no `initialize`, and the library says so.
  if (good || (method === "initialize" && isJsonObject(params) && isJsonObject(params._meta))) return;
  const needs = method === "initialize" ? "`protocolVersion`, `capabilities` and `clientInfo`" : "the tool's `name`";
  throw new RpcFault(400, rpcCodes.invalidParams, `The params of \`${method}\` are wrong. Send ${needs}.`, idOf(id));
}

/** It goes back to the caller with every progress notification. */
function limitProgressToken({ id, params }: Record<string, unknown>): void {
  const meta = isJsonObject(params) && isJsonObject(params._meta) ? params._meta : {};
  if (typeof meta.progressToken !== "string" || meta.progressToken.length <= maxTokenCharacters) return;
  const most = `longer than ${maxTokenCharacters} characters`;
  throw new RpcFault(400, rpcCodes.invalidParams, `\`progressToken\` is ${most}. Send a shorter one.`, idOf(id));
}

function idOf(id: unknown): string | number | null {
  return typeof id === "string" || typeof id === "number" ? id : null;
}

function isIntroduction({ protocolVersion, capabilities, clientInfo }: Record<string, unknown>): boolean {
  return (
    typeof protocolVersion === "string" &&
    isJsonObject(capabilities) &&
    isJsonObject(clientInfo) &&
    typeof clientInfo.name === "string" &&
    typeof clientInfo.version === "string"
  );
}

function parse(text: string, maxValues: number): RawMember {
  if (holdsMoreValues(text, maxValues)) {
    const most = `more than ${maxValues} JSON values`;
    throw new RpcFault(400, rpcCodes.invalidRequest, `The message holds ${most}. Send a smaller one.`);
  }
  try {
    return { raw: text, value: JSON.parse(text) };
  } catch {
    throw new RpcFault(400, rpcCodes.parseError, "The body is not valid JSON. Send one JSON-RPC message.");
  }
}

function membersOf(member: RawMember): Map<string, RawMember> {
  if (Array.isArray(member.value)) {
    throw new RpcFault(400, rpcCodes.invalidRequest, "Batches are not taken. Send one message a request.");
  }
  if (!isObject(member)) {
    throw new RpcFault(400, rpcCodes.invalidRequest, "The body is not a JSON-RPC message. Send a JSON object.");
  }
  try {
    return readMembers(member);
  } catch (error) {
    if (error instanceof Problem) throw new RpcFault(400, rpcCodes.invalidRequest, error.message);
    throw error;
  }
}

function isObject(member: RawMember | undefined): member is RawMember {
  return isJsonObject(member?.value);
}

function plain(members: ReadonlyMap<string, RawMember>): Record<string, unknown> {
  return Object.fromEntries([...members].map(([name, { value }]) => [name, value]));
}
