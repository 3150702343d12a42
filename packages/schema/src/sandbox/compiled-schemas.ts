import type { CompiledSchema } from "./compiled-schema.ts";

/** The most recently used schemas, by the text that was compiled. */
export type CompiledSchemas = {
  get(text: string): CompiledSchema | undefined;
  add(text: string, compiled: CompiledSchema): void;
};

/** Keeps compiled schemas of `maxCharacters` characters in total, and drops the least recently used ones. */
export function createCompiledSchemas(maxCharacters: number): CompiledSchemas {
  const kept = new Map<string, CompiledSchema>();
  let characters = 0;
  return {
    get(text) {
      const known = kept.get(text);
      if (known) {
        kept.delete(text);
        kept.set(text, known);
      }
      return known;
    },
    add(text, compiled) {
      if (kept.has(text)) return;
      kept.set(text, compiled);
      characters += sizeOf(text, compiled);
      for (const [oldest, its] of kept) {
        if (characters <= maxCharacters) break;
        kept.delete(oldest);
        characters -= sizeOf(oldest, its);
      }
    },
  };
}

function sizeOf(text: string, { schemaText, fullText, promptText, lean }: CompiledSchema): number {
  return text.length + schemaText.length + fullText.length + promptText.length + JSON.stringify(lean).length;
}
