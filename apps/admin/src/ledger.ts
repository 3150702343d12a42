import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { Problem } from "@video-to-json/contract";
import type { Db } from "@video-to-json/database";
import { type Change, readChanges, replayChange } from "@video-to-json/database/money";
import { Command } from "commander";
import { AdminError, type AdminIo } from "./admin-io.ts";
import { errorReport, withDatabase, withReportedErrors } from "./with-database.ts";

/**
 * Returns `ledger`: keeps a copy of what must survive the loss of the database, and makes it again in a restored one
 * (docs/upgrades-and-backups.md, "The ledger's copy").
 */
export function ledgerCommand(io: AdminIo): Command {
  return new Command("ledger")
    .description("Keep a copy of accounts, keys, grants, debits, revocations and deletions outside of the database.")
    .addCommand(exportCommand(io))
    .addCommand(verifyCommand(io))
    .addCommand(replayCommand(io));
}

type ExportOptions = { every?: string; keep: string; since?: string };

function exportCommand({ env, print }: AdminIo): Command {
  return new Command("export")
    .description("Append what is new to the file of the day. Each line names the hash of the line before it.")
    .argument("<directory>", "where the files are, on another disk than the database")
    .option("--every <seconds>", "continue until the command is stopped; otherwise it appends once")
    .option("--keep <days>", "delete older files", "16")
    .option("--since <time>", "where an empty directory begins, as 2027-01-31T18:00:00Z; two days ago if not given")
    .action(async (directory: string, { every, keep, since }: ExportOptions) => {
      const seconds = every === undefined ? undefined : numberOf("--every", every);
      const keepDays = numberOf("--keep", keep);
      const from = since ?? new Date(Date.now() - 2 * dayMs).toISOString();
      if (Number.isNaN(Date.parse(from)))
        throw new AdminError("invalid_request", "--since is not a time. Give one such as 2027-01-31T18:00:00Z.");
      await mkdir(directory, { recursive: true });
      let end = await withReportedErrors(() => readEnd(directory, from));
      await withDatabase({ env }, async (db) => {
        for (;;) {
          try {
            const added = await append(db, directory, end);
            end = added.end;
            if (added.lines > 0 || seconds === undefined)
              print(`${added.lines} changes appended. The last hash is ${end.hash}.`);
            await deleteOldFiles(directory, keepDays);
          } catch (error) {
            // A database that is away comes back.
            if (seconds === undefined || error instanceof AdminError) throw error;
            print(`Nothing appended: ${errorReport(error)}`);
          }
          if (seconds === undefined) return;
          await pause(seconds * 1000);
        }
      });
    });
}

function verifyCommand({ print }: AdminIo): Command {
  return new Command("verify")
    .description("Check that no line of the copy was changed, removed or added.")
    .argument("<directory>", "where the files are")
    .action((directory: string) =>
      withReportedErrors(async () => {
        const { lines, hash } = await verify(directory);
        print(`${lines} changes, each after the one before it. The last hash is ${hash}.`);
      }),
    );
}

function replayCommand({ env, print }: AdminIo): Command {
  return new Command("replay")
    .description(
      "Make the changes of the copy again that a restored database does not have. Stop API and workers first.",
    )
    .argument("<directory>", "where the files are")
    .action(async (directory: string) => {
      await withReportedErrors(async () => void (await verify(directory)));
      await withDatabase({ env }, async (db) => {
        const made: Partial<Record<Change["kind"], number>> = {};
        for await (const { change, place } of linesOf(directory)) {
          const isMade = await replayChange(db, change, lostAnswer).catch((cause: unknown) => {
            throw new Error(`${place}: ${errorReport(cause)} The changes before it are made.`, { cause });
          });
          if (isMade) made[change.kind] = (made[change.kind] ?? 0) + 1;
        }
        const counts = Object.entries(made).map(([kind, count]) => `${count} × ${kind.replace("_", " ")}`);
        print(counts.length > 0 ? `Made again: ${counts.join(", ")}.` : "The database has every change.");
      });
    });
}

const dayMs = 86_400_000;
/** Longer than any transaction that writes. */
const overlapMs = 600_000;
const noHash = "0".repeat(64);

/** What an open job of a restored database gets whose debit or deletion is in the copy. */
const lostAnswer = new Problem("internal_error", {
  reason:
    "The service was restored from a backup, and the answer of this job was lost. Ask the operator about its charge.",
}).toInside();

type Line = { previous: string; sha256: string; change: Change };
/** Where a copy ends: its last hash, from where it reads on, and the changes that it may read again. */
type End = { hash: string; since: string; ledgerId: number | undefined; known: ReadonlySet<string>; bytes: number };

async function append(db: Db, directory: string, end: End): Promise<{ lines: number; end: End }> {
  const { changes, at } = await readChanges(db, {
    since: end.since,
    ...(end.ledgerId === undefined ? {} : { afterLedgerId: end.ledgerId }),
  });
  let { hash, ledgerId } = end;
  const lines: string[] = [];
  for (const change of changes) {
    if (change.kind === "grant" || change.kind === "debit") ledgerId = Math.max(ledgerId ?? 0, Number(change.id));
    if (end.known.has(nameOf(change))) continue;
    const sha256 = hashOf(hash, change);
    lines.push(`${JSON.stringify({ previous: hash, sha256, change } satisfies Line)}\n`);
    hash = sha256;
  }
  if ((await sizeOf(directory)) !== end.bytes)
    throw new AdminError("invalid_request", `Another process writes to ${directory}. Let one do it.`);
  const [text, name] = [lines.join(""), `${at.slice(0, 10)}.jsonl`];
  const isNewest = text === "" || (await filesOf(directory)).includes(name);
  if (text !== "") {
    const file = await open(join(directory, name), "a", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  }
  const known = new Set(changes.map(nameOf));
  const since = new Date(Date.parse(at) - overlapMs).toISOString();
  // The file may have bytes of another process already. With a new file, an older one is no longer among the newest two.
  const bytes = isNewest ? end.bytes + Buffer.byteLength(text) : await sizeOf(directory);
  return { lines: lines.length, end: { hash, since, ledgerId, known, bytes } };
}

/** Reads the newest two files. A line that was cut off by a crash is removed: its change is read again. */
async function readEnd(directory: string, since: string): Promise<End> {
  const newest = (await filesOf(directory)).slice(-2);
  for (const name of newest.slice(-1)) {
    const { whole, bytes } = await wholeLines(join(directory, name));
    if (whole < bytes) await truncate(join(directory, name), whole);
  }
  const known = new Set<string>();
  const end = { hash: noHash, at: Date.parse(since) + overlapMs, ledgerId: undefined as number | undefined };
  for await (const { change, sha256 } of linesOf(directory, newest)) {
    known.add(nameOf(change));
    end.hash = sha256;
    end.at = known.size === 1 ? Date.parse(change.at) : Math.max(end.at, Date.parse(change.at));
    if (change.kind === "grant" || change.kind === "debit")
      end.ledgerId = Math.max(end.ledgerId ?? 0, Number(change.id));
  }
  const from = new Date(end.at - overlapMs).toISOString();
  return { hash: end.hash, since: from, ledgerId: end.ledgerId, known, bytes: await sizeOf(directory) };
}

/** Reads all lines. Throws at the first one that does not follow from the line before it. */
async function verify(directory: string): Promise<{ lines: number; hash: string }> {
  let lines = 0;
  let hash: string | undefined;
  for await (const { sha256 } of linesOf(directory)) {
    lines++;
    hash = sha256;
  }
  if (hash === undefined) throw new AdminError("not_found", `${directory} has no changes. Check the path.`);
  return { lines, hash };
}

/** Yields the lines of these files, of all by default. Each must follow from the line before it. */
async function* linesOf(directory: string, names?: readonly string[]): AsyncGenerator<Line & { place: string }> {
  let hash: string | undefined;
  for (const name of names ?? (await filesOf(directory))) {
    const { whole } = await wholeLines(join(directory, name));
    if (whole === 0) continue;
    let number = 0;
    const input = createReadStream(join(directory, name), { end: whole - 1 });
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const place = `${name}, line ${number}`;
      const line = lineOf(text);
      if (!line || line.sha256 !== hashOf(line.previous, line.change) || (hash ?? line.previous) !== line.previous)
        throw new AdminError("invalid_request", `${place} does not follow from the line before it. Use another copy.`);
      hash = line.sha256;
      yield { ...line, place };
    }
  }
}

function lineOf(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

function hashOf(previous: string, change: Change): string {
  return createHash("sha256")
    .update(`${previous}\n${JSON.stringify(change)}`)
    .digest("hex");
}

function nameOf({ kind, id }: Change): string {
  return `${kind} ${id}`;
}

async function filesOf(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => /^\d{4}-\d\d-\d\d\.jsonl$/.test(name)).sort();
}

async function sizeOf(directory: string): Promise<number> {
  const sizes = (await filesOf(directory)).slice(-2).map(async (name) => (await stat(join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Returns the size of a file, and of the part that ends with its last line break. */
async function wholeLines(path: string): Promise<{ whole: number; bytes: number }> {
  const { size: bytes } = await stat(path);
  const file = await open(path);
  try {
    const piece = Buffer.alloc(65_536);
    for (let end = bytes; end > 0; end -= piece.length) {
      const start = Math.max(0, end - piece.length);
      const { bytesRead } = await file.read(piece, 0, end - start, start);
      const last = piece.lastIndexOf("\n", bytesRead - 1);
      if (last >= 0) return { whole: start + last + 1, bytes };
    }
    return { whole: 0, bytes };
  } finally {
    await file.close();
  }
}

/** The newest two files stay, whatever their age: the copy continues from them. */
async function deleteOldFiles(directory: string, keepDays: number): Promise<void> {
  const before = new Date(Date.now() - keepDays * dayMs).toISOString().slice(0, 10);
  const old = (await filesOf(directory)).slice(0, -2).filter((name) => name.slice(0, 10) < before);
  for (const name of old) await rm(join(directory, name));
}

function numberOf(option: string, text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new AdminError("invalid_request", `${option} is a number from 1 to 99999.`);
}
