import { Command } from "commander";
import { migrateCommand } from "./admin/migrate.ts";
import type { Surroundings } from "./surroundings.ts";

/** The whole command line: `video-to-json …`. */
export function createProgram(surroundings: Surroundings): Command {
  return new Command("video-to-json")
    .description("Turns a video into JSON that conforms to your schema.")
    .addCommand(adminCommand(surroundings));
}

function adminCommand(surroundings: Surroundings): Command {
  return new Command("admin")
    .description("What an operator does: works on the database that DATABASE_URL names.")
    .addCommand(migrateCommand(surroundings));
}
