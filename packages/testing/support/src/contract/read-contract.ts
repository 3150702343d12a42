import type { InterfaceDocument } from "./interface-document.ts";
import { openContract } from "./open-contract.ts";

/** Reads the interface description that a running service publishes. Returns the check for it. */
export async function readContract(baseUrl: string) {
  const response = await fetch(`${baseUrl}/docs/openapi.json`);
  return openContract((await response.json()) as InterfaceDocument);
}
