import type { InterfaceDocument } from "./interface-document.ts";
import { openContract } from "./open-contract.ts";

/** The contract that a running service publishes. */
export async function readContract(baseUrl: string) {
  const response = await fetch(`${baseUrl}/docs/openapi.json`);
  return openContract((await response.json()) as InterfaceDocument);
}
