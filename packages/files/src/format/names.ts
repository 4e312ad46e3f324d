import { isUtf8 } from 'node:buffer';

/** The shown form of a byte string: as UTF-8, with U+FFFD for bytes that are not valid. */
export function showBytes(bytes: string): string {
  return isAscii(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
}

/** The byte string of a text. */
export function toBytes(text: string): string {
  return isAscii(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Whether the bytes are valid UTF-8. */
export function isText(bytes: string): boolean {
  return isAscii(bytes) || isUtf8(Buffer.from(bytes, 'latin1'));
}

export function isAscii(text: string): boolean {
  return !/[^\x00-\x7f]/.test(text);
}

export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
