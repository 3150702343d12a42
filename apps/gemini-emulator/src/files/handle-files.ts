import type { Fault } from "../faults/fault.ts";
import { invalidArgument, noSuchFile } from "../protocol/api-error.ts";
import type { Exchange } from "../protocol/exchange.ts";
import type { Reply } from "../protocol/reply.ts";
import type { FileStore } from "./file-store.ts";
import { fileResource, type StoredFile } from "./stored-file.ts";

type Deps = { files: FileStore };

/** GET files/{id}: the File itself, not wrapped. */
export async function handleGetFile({ files }: Deps, exchange: Exchange, owner: string): Promise<Reply> {
  const fault = await exchange.strike("get");
  const file = files.find(exchange.params[0] ?? "", owner);
  await actOut(fault, file, files);
  const shown: StoredFile = fault?.kind === "processing" ? { ...file, state: "PROCESSING" } : file;
  return { status: 200, json: fileResource(shown, exchange.origin) };
}

/** DELETE files/{id}: an empty object. */
export async function handleDeleteFile({ files }: Deps, exchange: Exchange, owner: string): Promise<Reply> {
  const fault = await exchange.strike("delete");
  const file = files.find(exchange.params[0] ?? "", owner);
  await actOut(fault, file, files);
  await files.remove(file);
  return { status: 200, json: {} };
}

const defaultPage = 10;
const largestPage = 100;

/** GET files: this key's, newest first, a page at a time. */
export async function handleListFiles({ files }: Deps, exchange: Exchange, owner: string): Promise<Reply> {
  await exchange.strike("list");
  const query = exchange.url.searchParams;
  const asked = Number(query.get("pageSize") ?? query.get("page_size") ?? defaultPage);
  if (!Number.isInteger(asked) || asked < 0) throw invalidArgument("Invalid value for page_size.");
  const pageSize = asked === 0 ? defaultPage : Math.min(asked, largestPage);
  const token = query.get("pageToken") ?? query.get("page_token") ?? "";
  const after = token === "" ? undefined : readToken(token);
  const all = files.list(owner);
  // Ids do not move when files come and go between two pages.
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

async function actOut(fault: Fault | undefined, file: StoredFile, files: FileStore): Promise<void> {
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
