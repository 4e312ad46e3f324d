import { open } from 'node:fs/promises';
import { LonghaulError } from '@longhaul/protocol';

const HEADER_BYTES = 24;
/** Models have some hundred tensors and values. */
const MOST = 1_000_000n;

/**
 * Checks that a file begins as a GGUF file does. The library can search for the end of another file for a long time.
 *
 * @throws {LonghaulError} `config_invalid`
 */
export async function checkHeader(path: string): Promise<void> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
  const isGguf =
    bytesRead === HEADER_BYTES &&
    buffer.toString('latin1', 0, 4) === 'GGUF' &&
    (buffer.readUInt32LE(4) === 2 || buffer.readUInt32LE(4) === 3) &&
    buffer.readBigUInt64LE(8) < MOST &&
    buffer.readBigUInt64LE(16) < MOST;
  if (isGguf) return;
  throw new LonghaulError(
    'config_invalid',
    `The model ${path} cannot be loaded: it is not a GGUF file. Use the file of a model in this format, such as one that longhaul models pull fetches.`,
  );
}
