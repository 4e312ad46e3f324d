import { open } from 'node:fs/promises';
import { AIDER_START, isAiderHistory, isLocalCommand } from './aider.ts';
import { isReadByLines, textImporterOf } from './detect-format.ts';

/** The bytes of a file that are one session. `end` is the index of the last byte. */
export interface SessionPart {
  start: number;
  end: number;
}

/** Characters of a file that decide whether it can contain several sessions. */
const HEAD_BYTES = 1_000_000;
const CHUNK_BYTES = 1 << 20;
const NEWLINE = 0x0a;

/**
 * Finds the sessions in a file that contains several: a history of Aider, or JSON documents below each other, such as
 * one session a line. Returns undefined for a file with one session, which is read as a whole.
 *
 * @throws the errors of the file system.
 */
export async function findSessionParts(path: string): Promise<SessionPart[] | undefined> {
  await using file = await open(path);
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  const splitter = splitterFor(head.toString('utf8', 0, bytesRead));
  if (splitter === undefined) return undefined;
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead: count } = await file.read(chunk, 0, CHUNK_BYTES, size);
    if (count === 0) break;
    splitter.push(chunk.subarray(0, count));
    size += count;
  }
  const parts = splitter.end();
  return parts.length < 2 ? undefined : parts;
}

function splitterFor(head: string): LineSplitter | undefined {
  if (textImporterOf(head) !== undefined)
    return isAiderHistory(head) ? new LineSplitter(new AiderLines()) : undefined;
  const isDocument = head.trimStart().startsWith('{') && !isReadByLines(head);
  return isDocument ? new LineSplitter(new DocumentLines()) : undefined;
}

/** Recognises the lines of one kind of file. */
interface Lines {
  /** Whether a session starts with this line. `previousEnd` is the last character of the lines before it. */
  isStart(line: string, previousEnd: string): boolean;
  /** Looks at a line of the session, and returns whether the session has something to read. */
  see(line: string): boolean;
}

class AiderLines implements Lines {
  #starts = 0;
  #hasTask = false;

  /** What precedes the first start belongs to the first session. */
  isStart(line: string): boolean {
    if (!line.startsWith(AIDER_START)) return false;
    this.#starts += 1;
    if (this.#starts > 1) this.#hasTask = false;
    return this.#starts > 1;
  }

  /** A session has something to read if an answer follows a task. */
  see(line: string): boolean {
    if (line.startsWith('####')) {
      const text = line.slice(4).trim();
      this.#hasTask ||= text !== '' && !isLocalCommand(text);
      return false;
    }
    return this.#hasTask && line !== '' && !line.startsWith('>') && !line.startsWith(AIDER_START.trim());
  }
}

class DocumentLines implements Lines {
  /** Elements of a list follow a comma or a bracket; a document follows the end of another. */
  isStart(line: string, previousEnd: string): boolean {
    return line.startsWith('{') && previousEnd === '}';
  }

  see(): boolean {
    return true;
  }
}

/** Bytes of a line that decide whether a session starts there. */
const START_BYTES = 64;

/** Splits a file at the lines with which sessions start. Holds only the start of a line. */
class LineSplitter {
  readonly #lines: Lines;
  readonly #parts: SessionPart[] = [];
  #offset = 0;
  #partStart = 0;
  #lineStart = 0;
  #line = '';
  /** The last character of this line and of the previous one that is not whitespace. */
  #lastCharacter = '';
  #previousEnd = '';
  #isUsed = false;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  push(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      this.#append(bytes.subarray(from, end));
      this.#endLine(this.#offset + end + 1);
      from = end + 1;
    }
    this.#append(bytes.subarray(from));
    this.#offset += bytes.length;
  }

  end(): SessionPart[] {
    this.#endLine(this.#offset);
    this.#endPart(this.#offset);
    return this.#parts;
  }

  #append(piece: Buffer): void {
    if (this.#line.length < START_BYTES)
      this.#line += piece.toString('latin1', 0, START_BYTES - this.#line.length);
    for (let index = piece.length - 1; index >= 0; index -= 1) {
      const code = piece[index] ?? 0;
      if (code <= 0x20) continue;
      this.#lastCharacter = String.fromCharCode(code);
      return;
    }
  }

  #endLine(next: number): void {
    if (this.#lines.isStart(this.#line, this.#previousEnd)) this.#endPart(this.#lineStart);
    if (this.#lines.see(this.#line.trim())) this.#isUsed = true;
    if (this.#lastCharacter !== '') this.#previousEnd = this.#lastCharacter;
    this.#lastCharacter = '';
    this.#line = '';
    this.#lineStart = next;
  }

  #endPart(end: number): void {
    if (this.#isUsed && end > this.#partStart) this.#parts.push({ start: this.#partStart, end: end - 1 });
    this.#partStart = end;
    this.#isUsed = false;
  }
}
