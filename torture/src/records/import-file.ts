import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** More than the importer stores in one transaction. */
const MESSAGES = 450;
/** Every so many messages, one has a picture. */
const PICTURE_EVERY = 50;
/** The pictures of an import return in later ones, while a garbage collection may remove them. */
const SETS_OF_PICTURES = 2;

/** Writes a session of another agent, in OpenAI's format. */
export function writeImportFile(path: string, number: number): void {
  const lines = importedTexts(number).map((text, index) => {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    if (index % PICTURE_EVERY !== 0) return { role, content: text };
    const url = `data:image/png;base64,${pictureOf(number % SETS_OF_PICTURES, index)}`;
    return {
      role,
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url } },
      ],
    };
  });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Returns the texts of the messages, which an import must store in this order. */
export function importedTexts(number: number): string[] {
  return Array.from(
    { length: MESSAGES },
    (_, index) => `Import ${number}, message ${index + 1}. ${'words '.repeat(20)}`,
  );
}

export const IMPORTED_PICTURES = Math.ceil(MESSAGES / PICTURE_EVERY);

function pictureOf(set: number, index: number): string {
  const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000008000000080802000000', 'hex');
  return Buffer.concat([head, Buffer.from(`set ${set}, picture ${index}`)]).toString('base64');
}
