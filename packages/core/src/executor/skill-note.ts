import type { Message } from '@longhaul/protocol';
import type { SkillSource } from '../ports/index.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';

/** The skills of a run. */
export interface RunSkills {
  source: SkillSource;
  /** Names of the skills that earlier runs have used. */
  used: readonly string[];
  save: (names: readonly string[]) => Promise<void>;
  /** Maximum characters of all texts that are read again. */
  maxChars: number;
}

/** Less of a text would not help. */
const LEAST_CHARS = 400;

/**
 * Gives the model the skills that it uses again after a compaction has hidden them, as they are on disk then. The note
 * follows the history, so that the beginning of the request stays the same.
 */
export class SkillNote {
  readonly #writer: SessionWriter;
  readonly #skills: RunSkills | undefined;
  /** The skill that was read last is the last one. */
  readonly #used: Set<string>;
  #isDue = true;

  constructor(writer: SessionWriter, skills: RunSkills | undefined) {
    this.#writer = writer;
    this.#skills = skills;
    const visible = this.#visible();
    // A process that was killed may not have saved the last ones.
    this.#used = new Set([...(skills?.used ?? []).filter((name) => !visible.has(name)), ...visible]);
  }

  afterCompaction(): void {
    this.#isDue = true;
  }

  /** Call it after the tools of a step. */
  async afterTools(message: Message): Promise<void> {
    const names = readNames(message);
    if (names.length === 0 || this.#skills === undefined) return;
    for (const name of names) {
      this.#used.delete(name);
      this.#used.add(name);
    }
    await this.#skills.save([...this.#used]);
  }

  /** Call it before each request. */
  async appendIfDue(): Promise<void> {
    if (!this.#isDue || this.#skills === undefined) return;
    this.#isDue = false;
    const visible = this.#visible();
    const hidden = [...this.#used].filter((name) => !visible.has(name));
    if (hidden.length === 0) return;
    const text = await textOf(hidden, this.#skills);
    const note = draftSyntheticMessage(text, 'skills');
    await this.#writer.appendMessage({ ...note, metadata: { ...note.metadata, skills: hidden } });
  }

  #visible(): Set<string> {
    const { log, unloaded } = this.#writer;
    return new Set(log.messages.filter(({ id }) => !unloaded.has(id)).flatMap(readNames));
  }
}

/** Names of the skills whose text a message contains. */
function readNames({ parts, metadata }: Message): string[] {
  const named = metadata?.synthetic === 'skills' ? metadata['skills'] : undefined;
  const noted = Array.isArray(named) ? named.filter((name) => typeof name === 'string') : [];
  const read = parts.flatMap((part) => {
    const name = part.type === 'tool' && part.state === 'completed' ? part.metadata?.['skill'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
  return [...noted, ...read];
}

/** The texts of the skills that were read last come into the room first. */
async function textOf(names: readonly string[], { source, maxChars }: RunSkills): Promise<string> {
  let left = maxChars;
  const blocks: string[] = [];
  const leftOut: string[] = [];
  for (const name of names.toReversed()) {
    const read = await source.read(name);
    if ('problem' in read) blocks.unshift(read.problem);
    else if (read.text.length <= left || left >= LEAST_CHARS) {
      blocks.unshift(block(name, read.text, left));
      left -= read.text.length;
    } else leftOut.unshift(name);
  }
  return [
    'A note from the program, not from the user. You use these skills. Older messages were replaced by a summary, so the skills were read again:',
    ...blocks,
    ...(leftOut.length === 0
      ? []
      : [
          `There is no room for these. Read them again with \`skill\` before you need them: ${leftOut.join(', ')}.`,
        ]),
  ].join('\n\n');
}

function block(name: string, text: string, maxChars: number): string {
  const shown =
    text.length <= maxChars
      ? text
      : `${text.slice(0, maxChars)}\n[cut here; read it with \`skill\` for the rest]`;
  return `<skill name="${name}">\n${shown.replaceAll(/<(?=\/?skill\b)/gi, '&lt;')}\n</skill>`;
}
