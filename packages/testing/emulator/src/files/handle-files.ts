import type { Fault } from "../faults/fault.ts";
import { invalidArgument, noSuchFile } from "../protocol/api-error.ts";
import type { Exchange } from "../protocol/exchange.ts";
import type { Reply } from "../protocol/reply.ts";
import type { FileStore } from "./file-store.ts";
import { fileResource, type StoredFile } from "./stored-file.ts";

type FileRouteDeps = { readonly files: FileStore };

/** Answers GET files/{id} with the File resource itself. */
export async function handleGetFile({ files }: FileRouteDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const fault = await exchange.injectFault("get");
  const file = files.find(exchange.params[0] ?? "", owner);
  await applyFault(fault, file, files);
  const shown: StoredFile = fault?.kind === "processing" ? { ...file, state: "PROCESSING" } : file;
  return { status: 200, json: fileResource(shown, exchange.origin) };
}

/** Answers DELETE files/{id} with an empty object. */
export async function handleDeleteFile({ files }: FileRouteDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const fault = await exchange.injectFault("delete");
  const file = files.find(exchange.params[0] ?? "", owner);
  await applyFault(fault, file, files);
  await files.remove(file);
  return { status: 200, json: {} };
}

const defaultPageSize = 10;
const maxPageSize = 100;

/** Answers GET files with one page of the key's files, newest first. */
export async function handleListFiles({ files }: FileRouteDeps, exchange: Exchange, owner: string): Promise<Reply> {
  await exchange.injectFault("list");
  const query = exchange.url.searchParams;
  const requested = Number(query.get("pageSize") ?? query.get("page_size") ?? defaultPageSize);
  if (!Number.isInteger(requested) || requested < 0) throw invalidArgument("Invalid value for page_size.");
  const pageSize = requested === 0 ? defaultPageSize : Math.min(requested, maxPageSize);
  const token = query.get("pageToken") ?? query.get("page_token") ?? "";
  const after = token === "" ? undefined : readToken(token);
  const all = files.list(owner);
  // A page continues after a file's number, so that files added or deleted between two pages shift nothing.
  const from = after === undefined ? 0 : all.findIndex((file) => keyOf(file) < after);
  const page = from < 0 ? [] : all.slice(from, from + pageSize);
  const last = page.at(-1);
  const more = last !== undefined && all.at(-1) !== last;
  return {
    status: 200,
    json: {
      ...(page.length > 0 ? { files: page.map((file) => fileResource(file, exchange.origin)) } : {}),
      ...(more ? { nextPageToken: Buffer.from(keyOf(last)).toString("base64url") } : {}),
    },
  };
}

async function applyFault(fault: Fault | undefined, file: StoredFile, files: FileStore): Promise<void> {
  if (fault?.kind === "failed") {
    file.stop();
    file.state = "FAILED";
  }
  if (fault?.kind === "vanish") {
    await files.remove(file);
    throw noSuchFile(file.id);
  }
}

function keyOf({ order }: StoredFile): string {
  return String(order).padStart(12, "0");
}

function readToken(token: string): string {
  const key = Buffer.from(token, "base64url").toString("latin1");
  if (!/^\d{12}$/.test(key)) throw invalidArgument("Invalid page token.");
  return key;
}
