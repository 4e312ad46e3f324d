import { deflateSync } from 'node:zlib';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
const LINE_BYTES = 52;

/** The first line of a patch of a binary file. */
export const BINARY_PATCH = 'GIT binary patch';

/** Returns git's form of a change of a binary file, in both directions. */
export function* binaryPatch(before: Buffer, after: Buffer): Generator<string> {
  yield `${BINARY_PATCH}\n`;
  yield* literal(after);
  yield* literal(before);
}

function* literal(content: Buffer): Generator<string> {
  yield `literal ${content.length}\n`;
  const packed = deflateSync(content);
  for (let at = 0; at < packed.length; at += LINE_BYTES) yield lineOf(packed.subarray(at, at + LINE_BYTES));
  yield '\n';
}

/** The first character is the number of bytes: A to Z for 1 to 26, a to z for 27 to 52. */
function lineOf(bytes: Buffer): string {
  const { length } = bytes;
  const padded = Buffer.alloc(Math.ceil(length / 4) * 4);
  bytes.copy(padded);
  const mark = String.fromCharCode(length <= 26 ? 64 + length : 96 + length - 26);
  let text = mark;
  for (let at = 0; at < padded.length; at += 4) text += fiveDigits(padded.readUInt32BE(at));
  return `${text}\n`;
}

function fiveDigits(value: number): string {
  let text = '';
  for (let rest = value, left = 5; left > 0; left -= 1) {
    text = (DIGITS[rest % 85] ?? '') + text;
    rest = Math.floor(rest / 85);
  }
  return text;
}
