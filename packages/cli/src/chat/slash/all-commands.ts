import { suggestion } from '@longhaul/protocol';
import { fitLine } from '../../render/format.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import { BASIC_COMMANDS } from './basic-commands.ts';
import { CONTEXT_COMMANDS } from './context-commands.ts';
import { FILE_COMMANDS } from './file-commands.ts';
import { LOGIN_COMMANDS } from './login-commands.ts';
import { MODEL_COMMANDS } from './model-commands.ts';
import { PERMISSION_COMMANDS } from './permission-commands.ts';
import { PROJECT_COMMANDS } from './project-commands.ts';
import { SESSION_COMMANDS } from './session-commands.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

const BUILT_IN: readonly SlashCommand[] = [
  ...CONTEXT_COMMANDS,
  ...FILE_COMMANDS,
  ...SESSION_COMMANDS,
  ...MODEL_COMMANDS,
  ...LOGIN_COMMANDS,
  ...PROJECT_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...BASIC_COMMANDS,
];

/** `/name words`. A slash before anything else begins a path or a text. */
const TYPED = /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i;

/** The commands of a chat: those of this program, and those that a person wrote. */
export class SlashCommands {
  /** Those that are offered. */
  readonly all: readonly SlashCommand[];
  readonly #unusable: readonly SlashCommand[];

  constructor(custom: readonly SlashCommand[] = []) {
    const taken = new Set(BUILT_IN.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
    const own = custom.filter(({ name }) => !taken.has(name) && name !== HELP.name);
    this.all = [HELP, ...BUILT_IN, ...own.filter(({ isUnusable }) => isUnusable !== true)];
    this.#unusable = own.filter(({ isUnusable }) => isUnusable === true);
  }

  /** Whether the text is typed as a command. */
  isTyped(text: string): boolean {
    return TYPED.test(text.trim());
  }

  /** Runs what was typed, if it is a command. Returns false for any other text. */
  async run(text: string, context: SlashContext): Promise<boolean> {
    const [, name, words = ''] = TYPED.exec(text.trim()) ?? [];
    if (name === undefined) return false;
    const command = [...this.all, ...this.#unusable].find(
      (known) => known.name === name || known.aliases?.includes(name) === true,
    );
    if (command === undefined) {
      const hint = suggestion(
        name,
        this.all.map((known) => known.name),
        (known) => `/${known}`,
      );
      context.print(
        `There is no command /${name}.${hint} /help lists the commands. To send this text as a message, begin it with another word.\n`,
      );
      return true;
    }
    if (command === HELP) context.print(helpText(this.all, context));
    else await command.run(words.trim(), context);
    return true;
  }
}

const HELP: SlashCommand = { name: 'help', description: 'keys and commands', run: async () => undefined };

const KEYS: readonly (readonly [string, string])[] = [
  ['Enter', 'send; while the agent works, the message waits for the next step'],
  ['Shift-Enter, Ctrl-J, \\ Enter', 'new line'],
  ['Ctrl-S', 'send now: stop the step, and deliver the waiting messages'],
  ['Esc', 'stop, and take the waiting messages back into the line. Twice when idle: /revert'],
  ['Up, Down', 'earlier messages of this folder; Ctrl-R finds one'],
  ['Alt-Up', 'take the last waiting message back, to change or remove it'],
  ['@', 'attach a file or an image; Tab completes'],
  ['!command', 'run a command in the sandbox; its output goes to the agent'],
  ['Ctrl-O', 'open what was shortened: outputs, reasoning, compactions'],
  ['Ctrl-G', 'write in $EDITOR'],
  ['Ctrl-C', 'clear the line, or stop; twice to leave'],
  ['Ctrl-D', 'leave, if nothing is typed'],
];

/** Columns of the names in the list. A longer one is on a line of its own. */
const MAX_NAME = 28;
const LEAST_TEXT = 20;

function helpText(
  commands: readonly SlashCommand[],
  { paint, columns }: Pick<SlashContext, 'paint' | 'columns'>,
): string {
  const rows = commands.map(
    ({ name, hint = '', description }) => [`/${name} ${hint}`.trim(), description] as const,
  );
  const indent = Math.min(MAX_NAME + 4, Math.max(4, columns - LEAST_TEXT));
  const lines = (pairs: readonly (readonly [string, string])[]) =>
    pairs.flatMap(([left, right]) => {
      const [first = '', ...more] = wrapText(right, columns - indent)
        .trimEnd()
        .split('\n')
        .map((line) => ' '.repeat(indent) + line);
      const fits = left.length + 4 <= indent;
      const head = `  ${paint.note(fitLine(left, columns - 2))}`;
      return fits ? [head + first.slice(left.length + 2), ...more] : [head, first, ...more];
    });
  return `${[paint.bold('Keys'), ...lines(KEYS), '', paint.bold('Commands'), ...lines(rows)].join('\n')}\n`;
}
