import { credentialsPath, removeCredentials } from "../connection/credentials-file.ts";
import type { Io } from "../io.ts";

/** Deletes the saved login, if there is one. */
export async function logout(io: Pick<Io, "env" | "platform" | "home" | "stderr">): Promise<void> {
  const removed = await removeCredentials(credentialsPath(io));
  io.stderr.write(
    removed
      ? "The saved key is deleted. The key itself stays valid until it is revoked.\n"
      : "There was no saved key.\n",
  );
  if (io.env.VIDEO_TO_JSON_API_KEY) io.stderr.write("VIDEO_TO_JSON_API_KEY is still set.\n");
}
