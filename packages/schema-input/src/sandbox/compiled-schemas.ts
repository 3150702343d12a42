import type { CompiledSchema } from "./compiled-schema.ts";

/** The schemas that were used last, by the text that was compiled. */
export type CompiledSchemas = {
  get(text: string): CompiledSchema | undefined;
  add(text: string, compiled: CompiledSchema): void;
};

/** Keeps compiled schemas of `maxCharacters` characters in all, and forgets those that were not used for the longest time. */
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
