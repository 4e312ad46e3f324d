import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Drafts } from './drafts.ts';
import { appendOwnFile, readOwnFile, writeOwnFile } from './own-file.ts';

const MAX_HISTORY = 500;
const MAX_ENTRY_CHARS = 20_000;

/** What a person typed in a workspace: sent messages, and the draft that was not sent. Only this user can read it. */
export class KeptTexts {
  readonly #history: string;
  readonly drafts: Drafts;

  /** @param place What identifies the conversation's place: a folder, or the address of a server. */
  constructor(folder: string, place: string) {
    const name = createHash('sha256').update(place).digest('hex').slice(0, 24);
    this.#history = join(folder, `${name}.jsonl`);
    this.drafts = new Drafts(folder, name);
  }

  /** Sent messages, the oldest first. */
  history(): string[] {
    const lines = readOwnFile(this.#history).split('\n').flatMap(parsedLine);
    if (lines.length > 2 * MAX_HISTORY) {
      const kept = lines.slice(-MAX_HISTORY);
      writeOwnFile(this.#history, kept.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return kept;
    }
    return lines.slice(-MAX_HISTORY);
  }

  remember(text: string): void {
    if (text.length > MAX_ENTRY_CHARS) return;
    // The line break before it ends what a crash left.
    appendOwnFile(this.#history, `\n${JSON.stringify(text)}\n`);
  }
}

/** A line that another version or a crash left is not a message. */
function parsedLine(line: string): string[] {
  try {
    const text: unknown = JSON.parse(line);
    return typeof text === 'string' ? [text] : [];
  } catch {
    return [];
  }
}
