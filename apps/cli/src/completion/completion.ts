import type { Command } from "commander";
import type { Io } from "../io.ts";
import { bashScript } from "./bash-script.ts";
import { commandTree } from "./command-tree.ts";
import type { Shell } from "./completion-command.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** Prints the completion of a shell: every command, option and value that the option parser knows. */
export function completion({ stdout }: Pick<Io, "stdout">, program: Command, shell: Shell): void {
  stdout.write(scripts[shell](commandTree(program)));
}
