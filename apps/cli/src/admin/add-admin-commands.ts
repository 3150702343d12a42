import { Command } from "commander";
import { accountCreateCommand } from "./account-create.ts";
import { accountDeleteCommand } from "./account-delete.ts";
import { accountSetCommand } from "./account-set.ts";
import type { AdminIo } from "./admin-io.ts";
import { grantCommand } from "./grant.ts";
import { jobShowCommand } from "./job-show.ts";
import { keyCreateCommand } from "./key-create.ts";
import { keyListCommand } from "./key-list.ts";
import { keyRevokeCommand } from "./key-revoke.ts";
import { migrateCommand } from "./migrate.ts";

/** Adds the operator's commands to `video-to-json admin`. */
export function addAdminCommands(admin: Command, io: AdminIo): void {
  const account = new Command("account")
    .description("Manage accounts.")
    .addCommand(accountCreateCommand(io))
    .addCommand(accountSetCommand(io))
    .addCommand(accountDeleteCommand(io));
  const key = new Command("key")
    .description("Manage API keys.")
    .addCommand(keyCreateCommand(io))
    .addCommand(keyListCommand(io))
    .addCommand(keyRevokeCommand(io));
  const job = new Command("job").description("Look at jobs.").addCommand(jobShowCommand(io));
  admin.addCommand(migrateCommand(io)).addCommand(account).addCommand(key).addCommand(grantCommand(io)).addCommand(job);
}
