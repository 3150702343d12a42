/**
 * Replaces the text between `<!-- figures: <name> -->` and `<!-- end of figures -->` by the lines of the block with
 * this name. Blocks without lines stay unchanged. Throws if the text has no place for a block.
 */
export function fillBlocks(text: string, blocks: Readonly<Record<string, readonly string[]>>): string {
  let filled = text;
  for (const [name, lines] of Object.entries(blocks)) {
    const begin = `<!-- figures: ${name} -->`;
    const from = filled.indexOf(begin);
    const to = filled.indexOf(end, from);
    if (from < 0 || to < 0) throw new Error(`The document has no block of figures named ${name}.`);
    filled = `${filled.slice(0, from + begin.length)}\n\n${lines.join("\n")}\n\n${filled.slice(to)}`;
  }
  return filled;
}

const end = "<!-- end of figures -->";
