import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MAX_HISTORY = 500;
const MAX_ENTRY_CHARS = 20_000;

/** What a person typed in a workspace: sent messages, and the draft that was not sent. Only this user can read it. */
export class KeptTexts {
  readonly #history: string;
  readonly #draft: string;
  readonly #folder: string;
  #kept = '';

  /** @param place What identifies the conversation's place: a folder, or the address of a server. */
  constructor(folder: string, place: string) {
    const name = createHash('sha256').update(place).digest('hex').slice(0, 24);
    this.#folder = folder;
    this.#history = join(folder, `${name}.jsonl`);
    this.#draft = join(folder, `${name}.draft`);
  }

  /** Sent messages, the oldest first. */
  history(): string[] {
    const lines = readText(this.#history).split('\n').flatMap(parsedLine);
    if (lines.length > 2 * MAX_HISTORY) {
      const kept = lines.slice(-MAX_HISTORY);
      this.#write(this.#history, kept.map((line) => `${JSON.stringify(line)}\n`).join(''));
      return kept;
    }
    return lines.slice(-MAX_HISTORY);
  }

  remember(text: string): void {
    if (text.length > MAX_ENTRY_CHARS) return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    // The line break before it ends what a crash left.
    appendFileSync(this.#history, `\n${JSON.stringify(text)}\n`, { mode: 0o600 });
  }

  /** The text that was not sent, also by a chat that was killed. */
  draft(): string {
    this.#kept = readText(this.#draft);
    return this.#kept;
  }

  /** Keeps the text until the next call, also if this process is killed. */
  keepDraft(text: string): void {
    if (text === this.#kept) return;
    if (text === '') rmSync(this.#draft, { force: true });
    else this.#write(this.#draft, text);
    this.#kept = text;
  }

  #write(path: string, text: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const beside = `${path}.${process.pid}`;
    try {
      writeFileSync(beside, text, { mode: 0o600 });
      renameSync(beside, path);
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    }
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
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
