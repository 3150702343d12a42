import type { Command } from "commander";
import { addAdminCommands } from "../admin/add-admin-commands.ts";
import type { Io } from "../io.ts";
import { bashScript } from "./bash-script.ts";
import { commandTree } from "./command-tree.ts";
import type { Shell } from "./completion-command.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the completion of a shell: every command, option and value that the option parser knows. */
export function completion({ env, stdout }: Pick<Io, "env" | "stdout">, program: Command, shell: Shell): void {
  const admin = program.commands.find((command) => command.name() === "admin");
  // The operator's commands are loaded late, because they need the database's code.
  if (admin) addAdminCommands(admin, { env, print: (line) => stdout.write(`${line}\n`) });
  stdout.write(scripts[shell](commandTree(program)));
}
