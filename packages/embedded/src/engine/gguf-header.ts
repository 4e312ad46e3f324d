import { type FileHandle, open, stat } from 'node:fs/promises';
import { LonghaulError } from '@longhaul/protocol';

const HEADER_BYTES = 24;
/** Models have some hundred tensors and values. */
const MOST = 1_000_000;
const CHUNK_BYTES = 2 ** 20;
const TEXT = 8;
const LIST = 9;
/** Bytes of a value by its type. Texts and lists have none. */
const SIZES = [1, 1, 2, 2, 4, 4, 4, 1, undefined, undefined, 8, 8, 8];

interface Counts {
  tensors: number;
  values: number;
}

/**
 * Checks that a file begins as a GGUF file does.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export async function checkHeader(path: string): Promise<void> {
  // A pipe would wait for a writer as soon as it is opened.
  if (!(await stat(path)).isFile()) throw noModel(path, 'it is not a file');
  await using file = await open(path);
  await readCounts(file, path);
}

/**
 * Checks that the description of a model is whole. The library reads zeros behind the end of a file, so a wrong length
 * in it would keep the library busy without end.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export async function checkDescription(path: string): Promise<void> {
  await checkHeader(path);
  await using file = await open(path);
  const { tensors, values } = await readCounts(file, path);
  const { size } = await file.stat();
  try {
    await new Walk(file, size).pass({ tensors, values });
  } catch (cause) {
    if (cause instanceof RangeError) throw noModel(path, 'its description is damaged or not whole');
    throw cause;
  }
}

async function readCounts(file: FileHandle, path: string): Promise<Counts> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  const isGguf =
    bytesRead === HEADER_BYTES &&
    buffer.toString('latin1', 0, 4) === 'GGUF' &&
    (buffer.readUInt32LE(4) === 2 || buffer.readUInt32LE(4) === 3);
  const [tensors, values] = [Number(buffer.readBigUInt64LE(8)), Number(buffer.readBigUInt64LE(16))];
  if (isGguf && tensors < MOST && values < MOST) return { tensors, values };
  throw noModel(path, 'it is not a GGUF file');
}

/** Passes over the description. @throws {RangeError} It does not end within the file. */
class Walk {
  readonly #file: FileHandle;
  readonly #size: number;
  #chunk = Buffer.alloc(0);
  #chunkAt = 0;
  #at = HEADER_BYTES;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async pass({ tensors, values }: Counts): Promise<void> {
    for (let index = 0; index < values; index++) {
      this.#skip(await this.#uint64());
      await this.#passValue(await this.#uint32());
    }
    for (let index = 0; index < tensors; index++) {
      this.#skip(await this.#uint64());
      const dimensions = await this.#uint32();
      this.#skip(dimensions * 8 + 4 + 8);
    }
  }

  async #passValue(type: number): Promise<void> {
    if (type === TEXT) this.#skip(await this.#uint64());
    else if (type === LIST) await this.#passList();
    else this.#skip(sizeOf(type));
  }

  async #passList(): Promise<void> {
    const type = await this.#uint32();
    const length = await this.#uint64();
    if (type !== TEXT) this.#skip(length * sizeOf(type));
    else for (let index = 0; index < length; index++) this.#skip(await this.#uint64());
  }

  async #uint32(): Promise<number> {
    const at = await this.#take(4);
    return this.#chunk.readUInt32LE(at);
  }

  async #uint64(): Promise<number> {
    const at = await this.#take(8);
    return Number(this.#chunk.readBigUInt64LE(at));
  }

  /** Returns where the next bytes are in the chunk. */
  async #take(bytes: number): Promise<number> {
    const from = this.#at;
    this.#skip(bytes);
    if (this.#at > this.#chunkAt + this.#chunk.length) {
      const length = Math.min(CHUNK_BYTES, this.#size - from);
      const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, from);
      this.#chunk = buffer.subarray(0, bytesRead);
      this.#chunkAt = from;
    }
    return from - this.#chunkAt;
  }

  #skip(bytes: number): void {
    this.#at += bytes;
    if (this.#at > this.#size) throw new RangeError('The file ends before its description.');
  }
}

function sizeOf(type: number): number {
  const size = SIZES[type];
  if (size === undefined) throw new RangeError(`There are no values of the type ${type}.`);
  return size;
}

function noModel(path: string, why: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `The model ${path} cannot be loaded: ${why}. Use the file of a model in GGUF format, such as one that longhaul models pull fetches.`,
  );
}
