import { handleOf, isBlank, type LonghaulEvent, toLonghaulError } from '@longhaul/protocol';
import { approvalQuestion } from '../render/approval-question.ts';
import { cutLine, fitLine, plural, shortId } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { chatKeys } from './chat-keys.ts';
import { Completions } from './composer/completions.ts';
import { PathIndex } from './composer/path-index.ts';
import type { Connection } from './connection/connection.ts';
import { attachedNames, Conversation, textOf } from './conversation.ts';
import type { Front } from './front.ts';
import { compactionOf, historyText } from './history.ts';
import { SlashCommands } from './slash/all-commands.ts';
import type { ChatOptions, SlashCommand, SlashContext } from './slash/slash-command.ts';
import { ActivityLines } from './view/activity-lines.ts';
import { ConversationView } from './view/conversation-view.ts';
import { Openables } from './view/openable.ts';
import { Totals } from './view/totals.ts';

/** Messages of an earlier session that are printed when it is opened. */
const SHOWN_MESSAGES = 30;
/** What the model receives of the output of a person's command: its end. */
const MAX_OUTPUT_CHARS = 30_000;
const PRINTED_LINES = 20;

export interface ChatStart {
  /** The session to open. Undefined: a new one. */
  session: string | undefined;
  /** Lets the person choose a session first. */
  picks: boolean;
  agent: string | undefined;
}

export interface ChatParts {
  front: Front;
  connection: Connection;
  /** Commands that a person wrote. */
  commands: readonly SlashCommand[];
  /** The last lines of the log of this chat's own server. */
  log: () => readonly string[];
}

/** A conversation at a terminal: what is typed becomes messages and commands, and what happens is shown. */
export class Chat {
  readonly #parts: ChatParts;
  readonly #conversation: Conversation;
  readonly #commands: SlashCommands;
  readonly #view: ConversationView;
  readonly #openables = new Openables();
  readonly #options: ChatOptions;
  readonly #totals = new Totals();
  #approval: { handle: string; shown: Disposable } | undefined;
  /** A command of the person that runs. */
  #running: AbortController | undefined;

  constructor(parts: ChatParts, { agent }: Pick<ChatStart, 'agent'>) {
    this.#parts = parts;
    const { connection, front } = parts;
    this.#options = { model: connection.local?.model, showsReasoning: false };
    this.#commands = new SlashCommands(parts.commands);
    this.#view = new ConversationView({
      paint: front.paint,
      colors: front.colors,
      columns: () => front.columns,
      print: (text) => front.surface.print(text),
      openables: this.#openables,
      compactionText: (round) => this.#compactionText(round),
      showsReasoning: () => this.#options.showsReasoning,
    });
    this.#conversation = new Conversation({
      connection,
      agent,
      model: () => this.#options.model,
      listener: {
        onMessage: (content, isOwn) => {
          // A terminal that edits the line itself still shows it.
          if (isOwn && front.surface.keepsEntered) return;
          this.#view.showMessage(textOf(content), attachedNames(content));
        },
        onEvent: (event) => this.#onEvent(event),
        onChange: () => this.#onChange(),
        onRemark: (text) => this.remark(text),
      },
    });
  }

  /** Opens the conversation, and resolves when the person leaves. */
  async converse({ session, picks }: ChatStart): Promise<void> {
    const { front, connection } = this.#parts;
    this.#setCompletions();
    if (connection.local?.modelProblem !== undefined) this.remark(connection.local.modelProblem);
    await this.guarded(async () => {
      if (session !== undefined) await this.#open(session);
      else if (picks) await this.#commands.run('/sessions', this.#context());
    });
    const activity = new ActivityLines({
      front,
      view: this.#view,
      conversation: this.#conversation,
      totals: this.#totals,
      isRunning: () => this.#running !== undefined,
      model: () => this.#conversation.model ?? this.#options.model,
      folder: () => this.#folder ?? front.terminal.cwd,
    });
    const onKey = chatKeys({
      front,
      conversation: this.#conversation,
      openables: this.#openables,
      guarded: (work) => this.guarded(work),
      enter: (text) => this.#enter(text),
      remark: (text) => this.remark(text),
      revert: async () => void (await this.#commands.run('/revert', this.#context())),
      running: () => this.#running,
    });
    front.attach({
      above: (columns) => activity.above(columns),
      status: (columns) => activity.status(columns),
      onEnter: (text) => void this.guarded(() => this.#enter(text)),
      onKey,
    });
    await front.left;
    await this.#conversation.leave();
  }

  /** The session, if there is one. */
  get sessionId(): string | undefined {
    return this.#conversation.id;
  }

  remark(text: string): void {
    const { front } = this.#parts;
    const lines = wrapText(text, front.columns - 2)
      .trimEnd()
      .split('\n');
    front.surface.print(
      lines.map((line, index) => `${index === 0 ? front.paint.warn('!') : ' '} ${line}\n`).join(''),
    );
  }

  /** Reports a failure, and continues. */
  async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.remark(toLonghaulError(error).message);
    }
    this.#parts.front.surface.redraw();
  }

  /** The folder of the session, or of the next one. Undefined: the server chooses it. */
  get #folder(): string | undefined {
    return this.#conversation.workspace || this.#parts.connection.local?.workspace;
  }

  #setCompletions(): void {
    const { front, connection } = this.#parts;
    const index = connection.local === undefined ? undefined : new PathIndex(connection.local.workspace);
    front.surface.complete(
      new Completions({
        commands: () =>
          this.#commands.all.map(({ name, hint = '', description, values }) => ({
            name,
            hint,
            description,
            ...(values !== undefined && { values: () => values(this.#context()) }),
          })),
        paths: async (words, signal) => (await index?.find(words, signal)) ?? [],
      }),
    );
  }

  #context(): SlashContext {
    const { front, connection, log } = this.#parts;
    const { paint, colors, surface, terminal, columns } = front;
    return {
      client: connection.client,
      local: connection.local,
      conversation: this.#conversation,
      surface,
      terminal,
      paint,
      colors,
      columns,
      print: (text) => surface.print(text),
      send: (text) => this.#send(text),
      openSession: (id) => (id === undefined ? this.#begin() : this.#open(id)),
      compose: (text) => front.compose(text),
      options: this.#options,
      log,
      leave: () => front.leave(),
    };
  }

  async #enter(text: string): Promise<void> {
    if (isBlank(text)) return;
    const { front } = this.#parts;
    front.remember(text);
    const command = /^!([\s\S]+)/.exec(text)?.[1]?.trim() ?? '';
    if (command !== '') await this.#runCommand(command);
    else if (!(await this.#commands.run(text, this.#context()))) await this.#send(text);
  }

  async #send(text: string): Promise<void> {
    const { connection, front } = this.#parts;
    try {
      const folder = this.#folder;
      const attached =
        folder === undefined ? [] : ((await connection.local?.attachments(text, folder)) ?? []);
      await this.#conversation.send([{ type: 'text', text: text.trim() }, ...attached]);
    } catch (error) {
      // Nothing typed is lost.
      front.compose(text);
      throw error;
    }
  }

  /** Runs a command of the person in the sandbox. Its output becomes a message. */
  async #runCommand(command: string): Promise<void> {
    const { connection, front } = this.#parts;
    const { local } = connection;
    if (local === undefined)
      return this.remark('Commands do not run with --attach. Use a chat on this machine without --attach.');
    const { surface, paint, columns } = front;
    surface.print(`\n${paint.note('!')} ${paint.bold(fitLine(command, columns - 2))}\n`);
    this.#running = new AbortController();
    surface.setWorking(true);
    try {
      const { text, exitCode } = await local.runCommand(command, {
        workspace: this.#folder ?? local.workspace,
        signal: this.#running.signal,
      });
      surface.print(lastLines(text, columns));
      const end = exitCode === 0 ? '' : `\n[exit code ${exitCode ?? 'unknown: ended'}]`;
      const shown = `${text.trimEnd().slice(-MAX_OUTPUT_CHARS)}${end}`;
      await this.#conversation.send([
        { type: 'text', text: `I ran \`${command}\` in the workspace. Its output:\n\n${shown}` },
      ]);
    } finally {
      this.#running = undefined;
      surface.setWorking(this.#conversation.isBusy);
    }
  }

  async #begin(): Promise<void> {
    const { front } = this.#parts;
    await this.#conversation.reset();
    this.#forget();
    front.surface.print(`\n${front.paint.dim('─── a new conversation')}\n`);
  }

  async #open(sessionId: string): Promise<void> {
    const { front, connection } = this.#parts;
    await this.#conversation.open(sessionId);
    this.#forget();
    const { title, model } = this.#conversation;
    this.#options.model = model;
    const id = this.#conversation.requireId();
    const { messages, hasMore } = await connection.client.messages(id, { limit: SHOWN_MESSAGES });
    const [first] = messages;
    const where =
      !hasMore || first === undefined
        ? ''
        : `, from ${handleOf(first.sequence)} on; longhaul show ${shortId(id)} prints all`;
    const head = front.paint.dim(`─── ${fitLine(title, 60)}${where}`);
    front.surface.print(`${head}\n${historyText(messages, front)}`);
    this.#onChange();
    await this.#measure();
  }

  #forget(): void {
    this.#totals.reset();
    this.#view.todo = [];
  }

  async #measure(): Promise<void> {
    const report = await this.#conversation.context();
    if (report !== undefined) this.#totals.measured(report);
    this.#parts.front.surface.redraw();
  }

  async #compactionText(round: number): Promise<string> {
    const { connection, front } = this.#parts;
    return compactionOf(
      await connection.client.sessions.export(this.#conversation.requireId()),
      round,
      front,
    );
  }

  #onEvent(event: LonghaulEvent): void {
    this.#view.show(event);
    this.#totals.take(event);
    if (event.type !== 'run:finished') return;
    void this.guarded(() => this.#measure());
    const title = fitLine(this.#conversation.title, 40);
    this.#parts.front.surface.notify(
      `${event.status === 'completed' ? 'Done' : `Stopped (${event.status})`}: ${title}`,
    );
  }

  #onChange(): void {
    const { surface } = this.#parts.front;
    const { isBusy, title } = this.#conversation;
    surface.setWorking(isBusy);
    surface.setTitle(`${isBusy ? '● ' : ''}${fitLine(title || 'longhaul', 60)}`);
    this.#askNext();
    surface.redraw();
  }

  /** Asks about the oldest open call. */
  #askNext(): void {
    const { surface } = this.#parts.front;
    const [request, ...others] = this.#conversation.approvals;
    if (request?.handle === this.#approval?.handle) return;
    this.#approval?.shown[Symbol.dispose]();
    this.#approval = undefined;
    if (request === undefined) return;
    surface.print(`\n${approvalQuestion(request)}`);
    surface.notify(`Waiting for your answer: ${request.toolName}`);
    const shown = surface.askApproval({
      request,
      waiting: others.length,
      onAnswer: (answer) => void this.guarded(() => this.#conversation.answer(request, answer)),
      onStop: () => void this.guarded(async () => void (await this.#conversation.stop())),
    });
    this.#approval = { handle: request.handle, shown };
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
