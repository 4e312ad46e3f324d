import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UserMessageContentPart } from '@longhaul/protocol';
import { formatBytes } from '../../render/format.ts';
import type { Terminal } from '../../terminal.ts';

const PASTE = /^\u001b\[200~([\s\S]*)\u001b\[201~$/;
const IMAGE = /\.(?:png|jpe?g|gif|webp)$/i;
const MARK = /\[image (\d+), [^\]\n]*\]/g;

/** Images that a person pasted. In the text, a mark such as `[image 1, 84 kB]` stands for each. */
export class PastedImages {
  readonly #parts: UserMessageContentPart[] = [];

  /** Reads the image in the clipboard. Returns its mark. @throws {LonghaulError} `usage` */
  async fromClipboard(env: Terminal['env']): Promise<string> {
    const { readClipboardImage } = await import('./clipboard-image.ts');
    const { attachedContent } = await import('../../attach/attached-content.ts');
    const data = await readClipboardImage(env);
    const part = await attachedContent({
      typed: 'the image of the clipboard',
      path: 'clipboard.png',
      size: data.length,
      read: async (length) => data.subarray(0, length),
    });
    return this.#add(part);
  }

  /** Reads an image that was dropped into the terminal. Returns its mark. @throws {LonghaulError} `usage` */
  async fromFile(path: string): Promise<string> {
    const { attachments } = await import('../../attach/attachments.ts');
    const [part] = await attachments({ text: '', images: [path], folder: '/' }, '/');
    return part === undefined ? path : this.#add(part);
  }

  /** The images whose marks are in a text, each once. */
  partsIn(text: string): UserMessageContentPart[] {
    const numbers = new Set([...text.matchAll(MARK)].map(([, number]) => Number(number)));
    return [...numbers].flatMap((number) => this.#parts[number - 1] ?? []);
  }

  #add(part: UserMessageContentPart): string {
    this.#parts.push(part);
    const size = part.type === 'image' ? formatBytes(Buffer.byteLength(part.data, 'base64')) : part.type;
    return `[image ${this.#parts.length}, ${size}]`;
  }
}

/** The path of an image that a paste consists of, as terminals write it when a file is dropped. */
export function droppedImage(input: string): string | undefined {
  const [, pasted = ''] = PASTE.exec(input) ?? [];
  const text = pasted.trim();
  if (!IMAGE.test(text.replace(/['"]$/, '')) || text.includes('\n')) return undefined;
  const path = pathOf(text);
  return path !== undefined && isAbsolute(path) && existsSync(path) ? path : undefined;
}

/** Terminals quote a path, or escape its blanks, or write its address. */
function pathOf(text: string): string | undefined {
  const [, quoted] = /^'([^']*)'$/.exec(text) ?? /^"([^"]*)"$/.exec(text) ?? [];
  if (quoted !== undefined) return quoted;
  if (!text.startsWith('file://')) return text.replace(/\\(.)/g, '$1');
  try {
    return fileURLToPath(text);
  } catch {
    // An address of another machine is a text.
    return undefined;
  }
}
