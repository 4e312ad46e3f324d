import { LonghaulError } from '@longhaul/protocol';
import { cutLine, fitLine, plural } from '../render/format.ts';
import type { LocalParts } from './connection/connection.ts';
import type { Front } from './front.ts';

/** What the model receives of the output: its end. */
const MAX_OUTPUT_CHARS = 30_000;
const PRINTED_LINES = 20;

export interface PersonCommandOptions {
  front: Front;
  local: LocalParts | undefined;
  /** A command begins or ends. */
  onChange: () => void;
}

/** Commands that a person types as `!command`. They run in the sandbox. */
export class PersonCommands {
  readonly #options: PersonCommandOptions;
  readonly #running = new Set<AbortController>();

  constructor(options: PersonCommandOptions) {
    this.#options = options;
  }

  get areRunning(): boolean {
    return this.#running.size > 0;
  }

  stop(): void {
    for (const running of this.#running) running.abort();
  }

  /**
   * Runs the command, and returns the message about its output.
   *
   * @throws {LonghaulError} `usage` if the server is elsewhere.
   */
  async run(command: string, folder: string | undefined): Promise<string> {
    const { front, local, onChange } = this.#options;
    if (local === undefined)
      throw new LonghaulError(
        'usage',
        'Commands do not run with --attach. Use a chat on this machine without --attach.',
      );
    const { surface, paint, columns } = front;
    surface.print(`\n${paint.note('!')} ${paint.bold(fitLine(command, columns - 2))}\n`);
    const running = new AbortController();
    this.#running.add(running);
    onChange();
    try {
      const { text, exitCode } = await local.runCommand(command, {
        workspace: folder ?? local.workspace,
        signal: running.signal,
      });
      surface.print(lastLines(text, columns));
      const end = exitCode === 0 ? '' : `\n[exit code ${exitCode ?? 'unknown: ended'}]`;
      const shown = `${text.trimEnd().slice(-MAX_OUTPUT_CHARS)}${end}`;
      return `I ran \`${command}\` in the workspace. Its output:\n\n${shown}`;
    } finally {
      this.#running.delete(running);
      onChange();
    }
  }
}

function lastLines(text: string, columns: number): string {
  const lines = text.trimEnd().split('\n');
  const more = lines.length - PRINTED_LINES;
  const shown = lines
    .slice(-PRINTED_LINES)
    .map((line) => `  ${cutLine(line.replaceAll('\t', '    '), columns - 2)}\n`);
  return (more > 0 ? `  +${plural(more, 'more line')}\n` : '') + shown.join('');
}
