import { Argument, Command } from "commander";
import type { Io } from "../io.ts";

const shells = ["bash", "zsh", "fish"] as const;

/** A shell that completes command lines. */
export type Shell = (typeof shells)[number];

/** Returns `completion`: prints the completion of a shell. */
export function completionCommand(io: Io): Command {
  return new Command("completion")
    .description("Print the script that lets a shell complete command lines.")
    .addArgument(new Argument("<shell>", "the shell").choices(shells))
    .addHelpText("after", help)
    .action(async (shell: Shell, _options: unknown, command: Command) =>
      (await import("./completion.ts")).completion(io, command.parent ?? command, shell),
    );
}

const help = `
For every new shell, add a line to its start-up file:
  bash  ~/.bashrc                   eval "$(video-to-json completion bash)"
  zsh   ~/.zshrc, behind compinit   source <(video-to-json completion zsh)
  fish  ~/.config/fish/config.fish  video-to-json completion fish | source
`;
