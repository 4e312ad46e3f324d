/** A model of the list: what is published of it. */
export interface CoderModel {
  name: string;
  /** For the resolver of node-llama-cpp. */
  uri: string;
  /** Of the file. */
  bytes: number;
  licence: string;
  /** Tokens that the model was trained for. */
  windowTokens: number;
  /** Memory of one token of context: layers × heads for keys and values × their width × 2 × 2 bytes. */
  bytesPerToken: number;
  /**
   * What was seen of the file: `listed`: the publisher's list of files, with its size and licence; `named`: only the
   * name of the repository, and the size of the same model from another publisher. No file was loaded, because this
   * list was made without access to the publishers.
   */
  seen: 'listed' | 'named';
  /** What to expect of it. */
  note: string;
}

/** From the smallest to the largest. All are quantised to four bits (Q4_K_M). */
export const CODER_MODELS: readonly CoderModel[] = [
  {
    name: 'qwen3-4b',
    uri: 'hf:unsloth/Qwen3-4B-Instruct-2507-GGUF:Q4_K_M',
    bytes: 2.5e9,
    licence: 'Apache-2.0',
    windowTokens: 262_144,
    bytesPerToken: 36 * 8 * 128 * 4,
    seen: 'named',
    note: 'small edits and questions about a few files',
  },
  {
    name: 'qwen2.5-coder-7b',
    uri: 'hf:lmstudio-community/Qwen2.5-Coder-7B-Instruct-GGUF:Q4_K_M',
    bytes: 4.68e9,
    licence: 'Apache-2.0',
    windowTokens: 32_768,
    bytesPerToken: 28 * 4 * 128 * 4,
    seen: 'listed',
    note: 'writes code well, calls tools less reliably',
  },
  {
    name: 'qwen2.5-coder-14b',
    uri: 'hf:second-state/Qwen2.5-Coder-14B-Instruct-GGUF:Q4_K_M',
    bytes: 8.99e9,
    licence: 'Apache-2.0',
    windowTokens: 32_768,
    bytesPerToken: 48 * 8 * 128 * 4,
    seen: 'listed',
    note: 'slow without a graphics processor',
  },
  {
    name: 'qwen3-coder-30b',
    uri: 'hf:unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF:Q4_K_M',
    bytes: 18.6e9,
    licence: 'Apache-2.0',
    windowTokens: 262_144,
    bytesPerToken: 48 * 4 * 128 * 4,
    seen: 'named',
    note: 'made for agents; three of its thirty billion parameters are used for each token',
  },
];

/** A window in which an agent can work on more than one file. */
const USEFUL_TOKENS = 16_384;
/** What the process itself needs, and a reserve. */
const OWN_BYTES = 1e9;

/** Returns the memory that a model needs with a window in which an agent can work. */
export function neededBytes({ bytes, bytesPerToken }: CoderModel): number {
  return bytes + bytesPerToken * USEFUL_TOKENS + OWN_BYTES;
}

/** Returns the largest model that fits into the memory, or the smallest if none does. */
export function fittingModel(freeBytes: number): CoderModel | undefined {
  return CODER_MODELS.findLast((model) => neededBytes(model) <= freeBytes) ?? CODER_MODELS[0];
}
