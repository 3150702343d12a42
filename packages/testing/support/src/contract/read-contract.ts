import type { InterfaceDocument } from "./interface-document.ts";
import { openContract } from "./open-contract.ts";

type Contract = ReturnType<typeof openContract>;

// The tests of a vitest worker start many APIs with the same description. Compiling its schemas takes most of a start.
const contracts = new Map<string, Contract>();

/** Reads the interface description that a running service publishes. Returns the check for it. */
export async function readContract(baseUrl: string): Promise<Contract> {
  const response = await fetch(`${baseUrl}/docs/openapi.json`);
  const document = (await response.json()) as InterfaceDocument;
  // Only the address differs from one API to another, and no check reads it.
  const key = JSON.stringify({ ...document, servers: [] });
  const contract = contracts.get(key) ?? openContract(document);
  contracts.set(key, contract);
  return { ...contract, document };
}
