import { findKeysNamed, revokeKey } from "@video-to-json/database";
import { Command } from "commander";
import { CommandError } from "../exit/command-error.ts";
import type { AdminIo } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

/** Returns `admin key revoke`: revokes a key for good. The next request with it is refused. */
export function keyRevokeCommand({ env, print }: AdminIo): Command {
  return new Command("revoke")
    .description("Revoke an API key for good.")
    .argument("<key>", "the key's id, or its first characters as `admin key list` shows them")
    .action((idOrDisplay: string) =>
      withDatabase({ env }, async (db) => {
        const [key, ...others] = await findKeysNamed(db, idOrDisplay.replace(/…$/, ""));
        if (!key) {
          throw new CommandError(
            "not_found",
            "There is no such key. List the keys with `video-to-json admin key list --account …`.",
          );
        }
        if (others.length > 0) {
          throw new CommandError(
            "invalid_request",
            `${others.length + 1} keys begin with these characters. Give the id of one of them.`,
          );
        }
        const now = await revokeKey(db, key);
        print(`Key ${key.id} (${key.display}…) ${now ? "is revoked" : "was already revoked"}.`);
      }),
    );
}
