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
  /** Whole size, where the caller has said it. */
  declaredBytes: number | undefined;
  path: string;
  received: number;
  wasSentBytes: boolean;
  state: "active" | "final" | "cancelled";
  /** The connection of the request that is writing, and that request's end. */
  writing: { socket: Socket; ended: Promise<void> } | undefined;
};

/** The uploads under way, and the ended ones, so that they can be told from unknown ones. */
export type UploadSessions = {
  open(start: Pick<UploadSession, "owner" | "metadata" | "declaredBytes">): Promise<UploadSession>;
  find(id: string): UploadSession | undefined;
  /** Ends a session. `final` leaves the bytes, which are a file's from now on. */
  end(session: UploadSession, state: "final" | "cancelled"): Promise<void>;
  /** Forgets the bytes past a length. */
  cutTo(session: UploadSession, bytes: number): Promise<void>;
  /** Open sessions that were sent bytes, arrived or not: one that was only begun holds nothing of anybody's. */
  openCount(): number;
  bytes(): number;
};

const mostSessions = 10_000;

/** No sessions. Bytes are kept in `dir`. */
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
        wasSentBytes: false,
        state: "active",
        writing: undefined,
      };
      sessions.set(id, session);
      const oldest = sessions.values().find(({ state }) => state !== "active");
      if (oldest && sessions.size > mostSessions) sessions.delete(oldest.id);
      onChange();
      return session;
    },
    find: (id) => sessions.get(id),
    async end(session, state) {
      session.state = state;
      if (state === "cancelled") await rm(session.path, { force: true });
      onChange();
    },
    async cutTo(session, bytes) {
      await truncate(session.path, bytes);
      session.received = bytes;
      onChange();
    },
    openCount: () => active().filter(({ wasSentBytes }) => wasSentBytes).length,
    bytes: () => active().reduce((sum, { received }) => sum + received, 0),
  };
}
