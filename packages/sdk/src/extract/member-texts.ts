/**
 * Returns the members of a JSON object by name, as text: with the key order and number literals that `JSON.parse`
 * loses. `json` must be the text of an object.
 */
export function memberTexts(json: string): Map<string, string> {
  const members = new Map<string, string>();
  let depth = 0;
  let inString = false;
  let name: string | undefined;
  let start = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at];
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    const endsMember = depth === 1 && (character === "," || character === "}");
    if (endsMember && name !== undefined) members.set(name, json.slice(start, at).trim());
    if (character === "{" || character === "[") depth += 1;
    if (character === "}" || character === "]") depth -= 1;
    if (depth !== 1) continue;
    if (endsMember || (character === "{" && name === undefined)) {
      name = undefined;
      start = at + 1;
    } else if (character === ":" && name === undefined) {
      name = JSON.parse(json.slice(start, at)) as string;
      start = at + 1;
    }
  }
  return members;
}
