import type { Fault } from "../faults/fault.ts";
import type { Exchange } from "../protocol/exchange.ts";
import { invalidArgument, noSuchFile, type Reply } from "../protocol/reply.ts";
import { type FileStore, fileResource, type StoredFile } from "./file-store.ts";

type FileRouteDeps = { readonly files: FileStore };

/** Answers GET files/{id} with the File resource itself. */
export async function handleGetFile({ files }: FileRouteDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const fault = await exchange.injectFault("get");
  const file = files.find(exchange.params[0] ?? "", owner);
  await applyFileFault(fault, file, files);
  const shown: StoredFile = fault?.kind === "processing" ? { ...file, state: "PROCESSING" } : file;
  return { status: 200, json: fileResource(shown, exchange.origin) };
}

/** Answers DELETE files/{id} with an empty object. */
export async function handleDeleteFile({ files }: FileRouteDeps, exchange: Exchange, owner: string): Promise<Reply> {
  const fault = await exchange.injectFault("delete");
  const file = files.find(exchange.params[0] ?? "", owner);
  await applyFileFault(fault, file, files);
  await files.remove(file);
  return { status: 200, json: {} };
}

/** Answers GET files with one page of the key's files, newest first. */
export async function handleListFiles({ files }: FileRouteDeps, exchange: Exchange, owner: string): Promise<Reply> {
  await exchange.injectFault("list");
  const query = exchange.url.searchParams;
  const pageSize = Number(query.get("pageSize") ?? query.get("page_size") ?? 0);
  if (!Number.isInteger(pageSize) || pageSize < 0) throw invalidArgument("Invalid value for page_size.");
  // A page continues after a file's number, so that files added or deleted between two pages shift nothing.
  const token = query.get("pageToken") ?? query.get("page_token") ?? "";
  if (!/^\d*$/.test(token)) throw invalidArgument("Invalid page token.");
  const rest = files.list(owner).filter(({ order }) => token === "" || order < Number(token));
  const page = rest.slice(0, pageSize === 0 ? 10 : Math.min(pageSize, 100));
  const json = {
    ...(page.length > 0 ? { files: page.map((file) => fileResource(file, exchange.origin)) } : {}),
    ...(page.length < rest.length ? { nextPageToken: String(page.at(-1)?.order) } : {}),
  };
  return { status: 200, json };
}

/** Applies a fault that makes a file fail or vanish. Throws if the file vanishes. */
export async function applyFileFault(fault: Fault | undefined, file: StoredFile, files: FileStore): Promise<void> {
  if (fault?.kind === "failed") file.fail();
  if (fault?.kind !== "vanish") return;
  await files.remove(file);
  throw noSuchFile(file.id);
}
