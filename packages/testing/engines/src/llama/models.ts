import { randomFrom } from "@video-to-json/testing";
import { type GgufValue, type Tensor, writeGguf } from "./gguf.ts";

/** The tokens: three of control, and one for each byte. So a text has as many tokens as bytes. */
const firstByte = 3;
const endToken = 2;
const vocabularySize = firstByte + 256;
const byteNames = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`);

const template =
  "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}assistant: ";

const tokenizer: Record<string, GgufValue> = {
  "tokenizer.ggml.model": "llama",
  "tokenizer.ggml.tokens": { strings: ["<unk>", "<s>", "</s>", ...byteNames] },
  "tokenizer.ggml.scores": { f32s: Array(vocabularySize).fill(0) },
  "tokenizer.ggml.token_type": { i32s: [2, 3, 3, ...Array(256).fill(6)] },
  "tokenizer.ggml.unknown_token_id": { u32: 0 },
  "tokenizer.ggml.bos_token_id": { u32: 1 },
  "tokenizer.ggml.eos_token_id": { u32: endToken },
  "tokenizer.ggml.add_bos_token": false,
  "tokenizer.ggml.add_space_prefix": false,
  "tokenizer.chat_template": template,
};

const width = 64;
const eyes = { width: 32, hidden: 64, imageSide: 64, patchSide: 16 };

/** The tokens of one picture: each of its squares is one. */
export const pictureTokens = (eyes.imageSide / eyes.patchSide) ** 2;

/** Returns a language model with random weights: it writes nonsense, as far as a grammar lets it. */
export function randomModel(): Buffer {
  const { matrix, ones } = createWeights(1);
  const hidden = 2 * width;
  return writeGguf(
    {
      "general.architecture": "llama",
      "llama.context_length": { u32: 131_072 },
      "llama.embedding_length": { u32: width },
      "llama.block_count": { u32: 1 },
      "llama.feed_forward_length": { u32: hidden },
      "llama.attention.head_count": { u32: 2 },
      "llama.attention.head_count_kv": { u32: 2 },
      "llama.attention.layer_norm_rms_epsilon": { f32: 1e-5 },
      "llama.rope.dimension_count": { u32: width / 2 },
      "llama.vocab_size": { u32: vocabularySize },
      ...tokenizer,
    },
    [
      matrix("token_embd.weight", width, vocabularySize),
      ones("output_norm.weight", width),
      matrix("output.weight", width, vocabularySize),
      ones("blk.0.attn_norm.weight", width),
      ...["q", "k", "v", "output"].map((part) => matrix(`blk.0.attn_${part}.weight`, width, width)),
      ones("blk.0.ffn_norm.weight", width),
      matrix("blk.0.ffn_gate.weight", width, hidden),
      matrix("blk.0.ffn_up.weight", width, hidden),
      matrix("blk.0.ffn_down.weight", hidden, width),
    ],
  );
}

/** Returns a projector with random weights: the part of a model that makes tokens of pictures, as LLaVA's does. */
export function randomProjector(): Buffer {
  const { matrix, ones } = createWeights(2);
  const { width: own, hidden, imageSide, patchSide } = eyes;
  const norm = (name: string) => [ones(`${name}.weight`, own), matrix(`${name}.bias`, own)];
  const linear = (name: string, from: number, to: number) => [
    matrix(`${name}.weight`, from, to),
    matrix(`${name}.bias`, to),
  ];
  const block = (index: number) => [
    ...["ln1", "ln2"].flatMap((part) => norm(`v.blk.${index}.${part}`)),
    ...["q", "k", "v", "out"].flatMap((part) => linear(`v.blk.${index}.attn_${part}`, own, own)),
    ...linear(`v.blk.${index}.ffn_up`, own, hidden),
    ...linear(`v.blk.${index}.ffn_down`, hidden, own),
  ];
  return writeGguf(
    {
      "general.architecture": "clip",
      "clip.has_vision_encoder": true,
      "clip.projector_type": "mlp",
      "clip.use_gelu": true,
      "clip.vision.image_size": { u32: imageSide },
      "clip.vision.patch_size": { u32: patchSide },
      "clip.vision.embedding_length": { u32: own },
      "clip.vision.feed_forward_length": { u32: hidden },
      "clip.vision.block_count": { u32: 2 },
      "clip.vision.projection_dim": { u32: width },
      "clip.vision.attention.head_count": { u32: 2 },
      "clip.vision.attention.layer_norm_epsilon": { f32: 1e-5 },
      "clip.vision.image_mean": { f32s: [0.5, 0.5, 0.5] },
      "clip.vision.image_std": { f32s: [0.5, 0.5, 0.5] },
    },
    [
      matrix("v.class_embd", own),
      matrix("v.patch_embd.weight", patchSide, patchSide, 3, own),
      matrix("v.position_embd.weight", own, pictureTokens + 1),
      ...norm("v.pre_ln"),
      ...[0, 1].flatMap(block),
      ...linear("mm.0", own, width),
      ...linear("mm.2", width, width),
    ],
  );
}

/** Returns a model that writes this text after a question of one token, unless a grammar forbids it. */
export function spellingModel(text: string): Buffer {
  const size = 320;
  const contextLength = 512;
  const tokens = [...Buffer.from(text)].map((byte) => firstByte + byte).concat(endToken);
  const zeros = (name: string, ...shape: number[]) => filled(name, shape);
  const norm = (name: string) => [filled(`${name}.weight`, [size], () => 1), zeros(`${name}.bias`, size)];
  const linear = (name: string, from: number, to: number) => [
    zeros(`${name}.weight`, from, to),
    zeros(`${name}.bias`, to),
  ];
  // Nothing but the position decides: at each, one coordinate is high, and each coordinate is a token.
  const tokenAt = (position: number) => tokens[Math.min(position, tokens.length - 1)];
  return writeGguf(
    {
      "general.architecture": "gpt2",
      "gpt2.context_length": { u32: contextLength },
      "gpt2.embedding_length": { u32: size },
      "gpt2.block_count": { u32: 1 },
      "gpt2.feed_forward_length": { u32: size },
      "gpt2.attention.head_count": { u32: 5 },
      "gpt2.attention.layer_norm_epsilon": { f32: 1e-5 },
      ...tokenizer,
    },
    [
      zeros("token_embd.weight", size, vocabularySize),
      filled("position_embd.weight", [size, contextLength], (index) =>
        Number(index % size === tokenAt(Math.floor(index / size))),
      ),
      ...norm("output_norm"),
      filled("output.weight", [size, vocabularySize], (index) => Number(index % size === Math.floor(index / size))),
      ...norm("blk.0.attn_norm"),
      ...linear("blk.0.attn_qkv", size, 3 * size),
      ...linear("blk.0.attn_output", size, size),
      ...norm("blk.0.ffn_norm"),
      ...linear("blk.0.ffn_up", size, size),
      ...linear("blk.0.ffn_down", size, size),
    ],
  );
}

function createWeights(seed: number) {
  const random = randomFrom(seed);
  return {
    matrix: (name: string, ...shape: number[]) => filled(name, shape, () => random.whole(-200, 200) / 1000),
    ones: (name: string, size: number) => filled(name, [size], () => 1),
  };
}

function filled(name: string, shape: readonly number[], valueAt?: (index: number) => number): Tensor {
  const values = new Float32Array(shape.reduce((product, side) => product * side, 1));
  if (valueAt) for (let index = 0; index < values.length; index++) values[index] = valueAt(index);
  return { name, shape, values };
}
