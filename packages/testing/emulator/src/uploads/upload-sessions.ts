import { randomBytes } from "node:crypto";
import { rm, truncate, writeFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { UploadMetadata } from "./upload-metadata.ts";

/** One resumable upload. */
export type UploadSession = {
  id: string;
  owner: string;
  metadata: UploadMetadata & { mimeType: string };
  /** The size of the file, if the caller announced it. */
  declaredBytes: number | undefined;
  path: string;
  received: number;
  /** Whether the caller has sent a chunk, even one whose bytes did not arrive. */
  hasChunk: boolean;
  state: "active" | "final" | "cancelled";
  /** The connection of the request that is writing now, and a promise that settles when it ends. */
  writing: { socket: Socket; ended: Promise<void> } | undefined;
};

/** The active uploads, and those that ended: an ended upload and an unknown one get different refusals. */
export type UploadSessions = {
  open(start: Pick<UploadSession, "owner" | "metadata" | "declaredBytes">): Promise<UploadSession>;
  find(id: string): UploadSession | undefined;
  /** Ends a session. `final` keeps the bytes, which now belong to a file. */
  end(session: UploadSession, state: "final" | "cancelled"): Promise<void>;
  /** Discards the bytes after a position. */
  truncateTo(session: UploadSession, bytes: number): Promise<void>;
  /** Returns the number of active sessions that a chunk was sent to. A session that was only started stores no bytes. */
  openCount(): number;
  bytes(): number;
};

const maxSessions = 10_000;

/** Creates an empty set of sessions that stores the bytes in `dir`. */
export function createUploadSessions({ dir, onChange }: { dir: string; onChange(): void }): UploadSessions {
  const sessions = new Map<string, UploadSession>();
  const active = () => [...sessions.values()].filter(({ state }) => state === "active");
  return {
    async open(start) {
      const id = randomBytes(24).toString("base64url");
      const path = join(dir, id);
      await writeFile(path, "");
      const session: UploadSession = {
        ...start,
        id,
        path,
        received: 0,
        hasChunk: false,
        state: "active",
        writing: undefined,
      };
      sessions.set(id, session);
      const oldest = sessions.values().find(({ state }) => state !== "active");
      if (oldest && sessions.size > maxSessions) sessions.delete(oldest.id);
      onChange();
      return session;
    },
    find: (id) => sessions.get(id),
    async end(session, state) {
      session.state = state;
      if (state === "cancelled") await rm(session.path, { force: true });
      onChange();
    },
    async truncateTo(session, bytes) {
      await truncate(session.path, bytes);
      session.received = bytes;
      onChange();
    },
    openCount: () => active().filter(({ hasChunk }) => hasChunk).length,
    bytes: () => active().reduce((sum, { received }) => sum + received, 0),
  };
}
