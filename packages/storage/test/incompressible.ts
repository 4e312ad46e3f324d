import { randomBytes } from 'node:crypto';

/** Returns a text that takes at least this many bytes in a database, although long texts are compressed. */
export function incompressible(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}
