import { Command } from "commander";
import { accountCreateCommand } from "./account-create.ts";
import type { AdminIo } from "./admin-io.ts";
import { grantCommand } from "./grant.ts";
import { jobShowCommand } from "./job-show.ts";
import { keyCreateCommand } from "./key-create.ts";
import { keyListCommand } from "./key-list.ts";
import { keyRevokeCommand } from "./key-revoke.ts";
import { migrateCommand } from "./migrate.ts";

/** Adds the operator's commands to `video-to-json admin`. */
export function addAdminCommands(admin: Command, surroundings: AdminIo): void {
  const account = new Command("account").description("Accounts.").addCommand(accountCreateCommand(surroundings));
  const key = new Command("key")
    .description("API keys.")
    .addCommand(keyCreateCommand(surroundings))
    .addCommand(keyListCommand(surroundings))
    .addCommand(keyRevokeCommand(surroundings));
  const job = new Command("job").description("Jobs.").addCommand(jobShowCommand(surroundings));
  admin
    .addCommand(migrateCommand(surroundings))
    .addCommand(account)
    .addCommand(key)
    .addCommand(grantCommand(surroundings))
    .addCommand(job);
}
