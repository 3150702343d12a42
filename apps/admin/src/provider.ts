import { tmpdir } from "node:os";
import { openProviders } from "@video-to-json/analysis/provider";
import { providerSettings, readSettings } from "@video-to-json/runtime/settings";
import { Command } from "commander";
import { AdminError, type AdminIo, printable } from "./admin-io.ts";

/** Returns `provider`: looks at the provider. */
export function providerCommand(io: AdminIo): Command {
  return new Command("provider").description("Look at the provider.").addCommand(checkCommand(io));
}

/** Returns `provider check`: tries what jobs need, and prints a line for each step. */
function checkCommand({ env, print }: AdminIo): Command {
  return new Command("check")
    .description("Try the key, the models, an upload and a deletion. It costs less than a cent.")
    .action(async () => {
      const log = { info() {}, warn() {}, error() {} };
      const { provider } = openProviders(readSettings(env, providerSettings), { log });
      const checks = await provider.check(tmpdir()).finally(() => provider.close());
      for (const { step, isOk, words, advice } of checks) {
        print(isOk ? `ok      ${step}` : `failed  ${step}: ${printable(words)} ${advice}`);
      }
      if (checks.some(({ isOk }) => !isOk)) throw new AdminError("provider_unavailable", "The provider check failed.");
    });
}
