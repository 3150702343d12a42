import { childPointer } from "../json-pointer.ts";

/** A leaf of an answer: its JSON pointer (RFC 6901), and its value. */
export type Leaf = { pointer: string; value: unknown };

/**
 * Returns the leaves of a JSON value in order: strings, numbers, booleans and null, and every empty array and object.
 * Each occurs once in the evidence (docs/decisions/0001, "Evidence").
 */
export function leavesOf(value: unknown, pointer = ""): Leaf[] {
  const leaves: Leaf[] = [];
  const open: Leaf[] = [{ pointer, value }];
  for (let next = open.pop(); next; next = open.pop()) {
    const members = membersOf(next);
    if (members.length === 0) leaves.push(next);
    // An array may be longer than a list of arguments.
    else for (const member of members.reverse()) open.push(member);
  }
  return leaves;
}

/**
 * Returns whether a leaf says that something is missing, so that no moment of the video can show it: null, [] or {}.
 */
export function saysNothing({ value }: Leaf): boolean {
  return typeof value === "object";
}

function membersOf({ pointer, value }: Leaf): Leaf[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? value.map((item, index) => [index, item] as const) : Object.entries(value);
  return entries.map(([key, member]) => ({ pointer: childPointer(pointer, key), value: member }));
}
