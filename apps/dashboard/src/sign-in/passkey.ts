import type {
  NewPasskey,
  PasskeySignIn,
  SignInAnswer,
  SignInSettings,
} from "@video-to-json/contract/dashboard/account";
import { ApiProblem, send } from "../api/request.ts";

/** Returns whether passkeys work at this address and in this browser. */
export function hasPasskeys(settings: SignInSettings | undefined): boolean {
  const isAble = "PublicKeyCredential" in window && "parseRequestOptionsFromJSON" in PublicKeyCredential;
  return settings?.passkeys === true && isAble;
}

/** Signs in with a passkey that the reader chooses. Throws: `ApiProblem`. */
export async function signInWithPasskey(): Promise<SignInAnswer> {
  const options = await send<PublicKeyCredentialRequestOptionsJSON>("POST", "auth/passkey/challenge", {});
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await shown<PasskeySignIn["credential"]>(navigator.credentials.get({ publicKey }));
  return await send<SignInAnswer>("POST", "auth/passkey/sign-in", { credential });
}

/** Makes a passkey on this device and adds it to the account. Throws: `ApiProblem`. */
export async function addPasskey(name: string): Promise<void> {
  const options = await send<PublicKeyCredentialCreationOptionsJSON>("POST", "passkeys/options", {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await shown<NewPasskey["credential"]>(navigator.credentials.create({ publicKey }));
  await send("POST", "passkeys", { name, credential } satisfies NewPasskey);
}

/** Waits for the reader and returns what the browser shows of the passkey. */
async function shown<Shape>(asked: Promise<Credential | null>): Promise<Shape> {
  const credential = await asked.catch((error: unknown) => {
    const isKnown = error instanceof DOMException && error.name === "InvalidStateError";
    const message = isKnown
      ? "This device has a passkey for this account already."
      : "No passkey was used. Try again, or use another device.";
    throw new ApiProblem(0, "passkey", message, [], null);
  });
  return (credential as PublicKeyCredential).toJSON() as Shape;
}
