import { isBlank } from '@longhaul/protocol';
import { fitLine } from '../render/format.ts';
import type { PastedImages } from './composer/pasted-images.ts';
import type { Connection } from './connection/connection.ts';
import type { Conversation } from './conversation.ts';
import type { Front } from './front.ts';
import type { PersonCommands } from './person-commands.ts';
import type { SlashCommands } from './slash/all-commands.ts';
import type { SlashContext } from './slash/slash-command.ts';

export interface EntryOptions {
  front: Front;
  connection: Connection;
  conversation: Conversation;
  slash: SlashCommands;
  slashContext: () => SlashContext;
  commands: PersonCommands;
  images: PastedImages;
}

/** What becomes of an entered text: a message, a slash command, or a command in the sandbox. */
export class Entry {
  readonly #options: EntryOptions;
  /** Settles when the messages that were sent before are on the server. */
  #sent: Promise<void> = Promise.resolve();

  constructor(options: EntryOptions) {
    this.#options = options;
  }

  /** The folder of the session, or of the next one. Undefined: the server chooses it. */
  get folder(): string | undefined {
    const { conversation, connection } = this.#options;
    return conversation.workspace || connection.local?.workspace;
  }

  async enter(text: string): Promise<void> {
    if (isBlank(text)) return;
    const { front, conversation, slash, slashContext, commands } = this.#options;
    front.texts.remember(text);
    if (text.trim() === '!') {
      front.notice('Write a command after the !, such as: !git status');
      return;
    }
    const command = /^!([\s\S]+)/.exec(text)?.[1]?.trim() ?? '';
    if (command !== '') {
      const output = await commands.run(command, this.folder);
      return await this.#inOrder(() => conversation.send([{ type: 'text', text: output }]));
    }
    // A command may need the session that a message before it creates.
    if (text.startsWith('/')) await this.#sent;
    if (slash.isTyped(text)) this.#echo(text);
    if (!(await slash.run(text, slashContext()))) await this.send(text);
  }

  /** Sends a message, with the files that it mentions. */
  async send(text: string): Promise<void> {
    const { front, connection, conversation, images } = this.#options;
    await this.#inOrder(async () => {
      try {
        const { folder } = this;
        const attached =
          folder === undefined ? [] : ((await connection.local?.attachments(text, folder)) ?? []);
        await conversation.send([{ type: 'text', text: text.trim() }, ...attached, ...images.partsIn(text)]);
      } catch (error) {
        // Nothing typed is lost.
        front.compose(text);
        throw error;
      }
    });
  }

  /** A slash command is not a message, so that nothing else shows it above what it prints. */
  #echo(text: string): void {
    const { surface, paint, columns } = this.#options.front;
    if (surface.keepsEntered) return;
    surface.print(`\n${paint.note('›')} ${paint.dim(fitLine(text, columns - 2))}\n`);
  }

  /** Messages arrive in the order in which they were entered, also if the files of one take time. */
  async #inOrder(send: () => Promise<void>): Promise<void> {
    const sending = this.#sent.then(send);
    this.#sent = sending.catch(() => undefined);
    await sending;
  }
}
