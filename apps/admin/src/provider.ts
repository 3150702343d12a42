import { tmpdir } from "node:os";
import { createGeminiProvider } from "@video-to-json/analysis/gemini";
import { readSettings } from "@video-to-json/runtime/settings";
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
      const settings = readSettings(env, [
        ...(["GEMINI_API_KEY", "GEMINI_BASE_URL", "GEMINI_HEADERS", "HTTPS_PROXY", "NO_PROXY"] as const),
        ...(["GEMINI_MODEL", "GEMINI_MODEL_LARGE"] as const),
      ]);
      const quiet = { info() {}, warn() {}, error() {} };
      const gemini = createGeminiProvider({
        apiKey: settings.GEMINI_API_KEY,
        baseUrl: settings.GEMINI_BASE_URL,
        headers: settings.GEMINI_HEADERS,
        proxy: { url: settings.HTTPS_PROXY, except: settings.NO_PROXY },
        models: { small: settings.GEMINI_MODEL, large: settings.GEMINI_MODEL_LARGE },
        log: quiet,
      });
      const checks = await gemini.check(tmpdir()).finally(() => gemini.close());
      for (const { step, isOk, words, advice } of checks) {
        print(isOk ? `ok      ${step}` : `failed  ${step}: ${printable(words)} ${advice}`);
      }
      if (checks.some(({ isOk }) => !isOk)) throw new AdminError("provider_unavailable", "The provider check failed.");
    });
}
