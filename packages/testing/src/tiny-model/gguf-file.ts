/** A value of the header. Numbers are written as `uint32`, or as `float32` if wrapped. */
export type GgufValue = string | number | boolean | { float: number } | readonly string[] | Int32Array;

export interface GgufTensor {
  name: string;
  /** The length of a row first. */
  shape: readonly number[];
  data: Float32Array;
}

const TYPES = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
const ALIGNMENT = 32;
const FLOAT32_TENSOR = 0;

/** Returns the bytes of a GGUF file, version 3: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md */
export function ggufFile(
  header: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Buffer {
  const entries = Object.entries(header);
  const infos: Buffer[] = [];
  const blocks: Buffer[] = [];
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    infos.push(
      string(name),
      uint32(shape.length),
      ...shape.map(uint64),
      uint32(FLOAT32_TENSOR),
      uint64(offset),
    );
    const block = padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    blocks.push(block);
    offset += block.length;
  }
  const head = [
    Buffer.from('GGUF'),
    uint32(3),
    uint64(tensors.length),
    uint64(entries.length),
    ...entries.flatMap(([key, value]) => [string(key), typed(value)]),
    ...infos,
  ];
  return Buffer.concat([padded(Buffer.concat(head)), ...blocks]);
}

function typed(value: GgufValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([uint32(TYPES.string), string(value)]);
  if (typeof value === 'number') return Buffer.concat([uint32(TYPES.uint32), uint32(value)]);
  if (typeof value === 'boolean') return Buffer.concat([uint32(TYPES.bool), Buffer.from([value ? 1 : 0])]);
  if (value instanceof Int32Array) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return Buffer.concat([uint32(TYPES.array), uint32(TYPES.int32), uint64(value.length), bytes]);
  }
  if ('float' in value) {
    const bytes = Buffer.alloc(4);
    bytes.writeFloatLE(value.float);
    return Buffer.concat([uint32(TYPES.float32), bytes]);
  }
  return Buffer.concat([
    uint32(TYPES.array),
    uint32(TYPES.string),
    uint64(value.length),
    ...value.map(string),
  ]);
}

function string(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([uint64(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function padded(bytes: Buffer): Buffer {
  const rest = bytes.length % ALIGNMENT;
  return rest === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(ALIGNMENT - rest)]);
}
