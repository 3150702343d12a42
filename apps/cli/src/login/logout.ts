import { credentialsPath, removeCredentials } from "../connection/credentials-file.ts";
import type { Io } from "../io.ts";

/** Forgets the login that is kept; there may be none. */
export async function logout(surroundings: Pick<Io, "env" | "platform" | "home" | "stderr">): Promise<void> {
  const removed = await removeCredentials(credentialsPath(surroundings));
  surroundings.stderr.write(
    removed ? "The key is forgotten. It still works until it is revoked.\n" : "No key was kept.\n",
  );
  if (surroundings.env.VIDEO_TO_JSON_API_KEY) surroundings.stderr.write("VIDEO_TO_JSON_API_KEY is still set.\n");
}
