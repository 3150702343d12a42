import { Command } from "commander";
import type { Io } from "../io.ts";
import { urlOption } from "../options.ts";

/** Returns `mcp`: the tools of the service for agents on this computer, with the files of this computer. */
export function mcpCommand(io: Io): Command {
  return new Command("mcp")
    .description("Serve agents on this computer over MCP (stdio), with the video files that you allow.")
    .option(
      "--allow <folder>",
      "a folder whose video files agents may send; may be repeated",
      (folder: string, folders: string[]) => [...folders, folder],
      [],
    )
    .addOption(urlOption())
    .addHelpText(
      "after",
      "\nThe tools are those of `/v1/mcp`. With --allow, extract also takes `video_path`. Symbolic links are followed first:" +
        "\nonly a file that is below an allowed folder is sent.",
    )
    .action(async (options: { url?: string; allow: string[] }) =>
      (await import("./serve-mcp.ts")).serveMcp(io, options),
    );
}
