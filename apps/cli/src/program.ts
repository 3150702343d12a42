import { Command } from "commander";
import { accountCreateCommand } from "./admin/account-create.ts";
import { grantCommand } from "./admin/grant.ts";
import { jobShowCommand } from "./admin/job-show.ts";
import { keyCreateCommand } from "./admin/key-create.ts";
import { keyListCommand } from "./admin/key-list.ts";
import { keyRevokeCommand } from "./admin/key-revoke.ts";
import { migrateCommand } from "./admin/migrate.ts";
import type { Surroundings } from "./surroundings.ts";

/** The whole command line: `video-to-json …`. */
export function createProgram(surroundings: Surroundings): Command {
  return new Command("video-to-json")
    .description("Turns a video into JSON that conforms to your schema.")
    .addCommand(adminCommand(surroundings));
}

function adminCommand(surroundings: Surroundings): Command {
  const account = new Command("account").description("Accounts.").addCommand(accountCreateCommand(surroundings));
  const key = new Command("key")
    .description("API keys.")
    .addCommand(keyCreateCommand(surroundings))
    .addCommand(keyListCommand(surroundings))
    .addCommand(keyRevokeCommand(surroundings));
  const job = new Command("job").description("Jobs.").addCommand(jobShowCommand(surroundings));
  return new Command("admin")
    .description("What an operator does, on the database that DATABASE_URL names.")
    .addCommand(migrateCommand(surroundings))
    .addCommand(account)
    .addCommand(key)
    .addCommand(grantCommand(surroundings))
    .addCommand(job);
}
