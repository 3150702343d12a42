import { Problem } from "@video-to-json/contract";
import { findKeysNamed, revokeKey } from "@video-to-json/database";
import { Command } from "commander";
import type { AdminIo } from "./admin-io.ts";
import { withDatabase } from "./with-database.ts";

/** `admin key revoke`: ends a key for good, from the next request on. */
export function keyRevokeCommand({ env, print }: AdminIo): Command {
  return new Command("revoke")
    .description("Revoke a key.")
    .argument("<key>", "the key's id, or its first characters as `key list` shows them")
    .action((idOrDisplay: string) =>
      withDatabase({ env }, async (db) => {
        const [key, ...others] = await findKeysNamed(db, idOrDisplay.replace(/…$/, ""));
        if (!key) {
          throw new Problem(
            "not_found",
            "There is no such key. `video-to-json admin key list --account …` shows them.",
          );
        }
        if (others.length > 0) {
          throw new Problem("invalid_request", `${others.length + 1} keys begin so. Give the id of the one you mean.`);
        }
        const now = await revokeKey(db, key.id);
        print(`Key ${key.id} (${key.display}…) ${now ? "is revoked" : "was revoked before"}.`);
      }),
    );
}
