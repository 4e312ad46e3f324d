import type { BackgroundCommand } from '../../ports/background.ts';
import type { BegunCommand } from '../../session/begun-commands.ts';
import { draftSyntheticMessage } from '../../session/messages/user-message.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { describeBackgroundEnd } from '../../tool-output/describe-background-end.ts';
import { cutLine } from '../../tool-output/display.ts';
import type { RunBackground } from './run-background.ts';

const COMMAND_CHARS = 160;

/**
 * Tells the model which background commands have ended by themselves, and at the beginning of a run which ones have
 * ended with the run before, however that has ended. So the log has the end of each command.
 */
export class BackgroundNote {
  readonly #writer: SessionWriter;
  readonly #background: RunBackground | undefined;

  constructor(writer: SessionWriter, background: RunBackground | undefined) {
    this.#writer = writer;
    this.#background = background;
  }

  /** Call it before each request. */
  async appendIfDue(): Promise<void> {
    if (this.#background === undefined) return;
    const { earlier, ended } = this.#background.takeNews();
    // A result of a tool may have reported an end since the last call.
    if (earlier.length + ended.length === 0) return this.#background.newsStored();
    const lines = [...earlier.map(earlierLine), ...ended.map(endedLine)];
    const text = `A note from the program, not from the user. Background commands have ended:\n${lines.join('\n')}`;
    const note = draftSyntheticMessage(text, 'background');
    const handles = [...earlier, ...ended].map(({ handle }) => handle);
    // Both are made in one tick, so that the store commits them together.
    await Promise.all([
      this.#writer.appendMessage({ ...note, metadata: { ...note.metadata, ended: handles } }),
      this.#background.newsStored(),
    ]);
  }
}

function earlierLine({ handle, command, keptMark }: BegunCommand): string {
  const how =
    keptMark === undefined ? 'it ended with the run that started it' : 'it has ended since the last run';
  return `- ${handle} \`${cutLine(command, COMMAND_CHARS)}\`: ${how}. Start it again if you need it.`;
}

function endedLine({ handle, command, end, lastLines }: BackgroundCommand): string {
  const last = lastLines.length === 0 ? '' : ` Last output: ${cutLine(lastLines.join(' ⏎ '), 300)}`;
  const outcome = end === undefined ? 'ended' : describeBackgroundEnd(end);
  return `- ${handle} \`${cutLine(command, COMMAND_CHARS)}\`: ${outcome}.${last}`;
}
