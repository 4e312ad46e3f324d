import type { LonghaulEvent } from '@longhaul/protocol';
import { ApprovalQuestions } from './approval-questions.ts';
import { attachFront } from './attach-front.ts';
import { chatCompletions } from './composer/chat-completions.ts';
import { PastedImages } from './composer/pasted-images.ts';
import type { Connection } from './connection/connection.ts';
import { Conversation } from './conversation.ts';
import { Entry } from './entry.ts';
import type { Front } from './front.ts';
import { PersonCommands } from './person-commands.ts';
import { Remarks } from './remarks.ts';
import { SessionOpener } from './session-opener.ts';
import { SlashCommands } from './slash/all-commands.ts';
import { createSlashContext } from './slash/create-slash-context.ts';
import type { ChatOptions, SlashCommand, SlashContext } from './slash/slash-command.ts';
import type { ConversationView } from './view/conversation-view.ts';
import { createView } from './view/create-view.ts';
import { Openables } from './view/openable.ts';
import { Totals } from './view/totals.ts';
import { notifyEnd, showWork } from './window-signs.ts';

export interface ChatStart {
  /** The session to open. Undefined: a new one. */
  session: string | undefined;
  /** The messages of the session up to this event are on the screen already. */
  shownTo?: number | undefined;
  /** Lets the person choose a session first. */
  picks: boolean;
}

export interface ChatParts {
  front: Front;
  connection: Connection;
  /** Slash commands that a person wrote. */
  commands: readonly SlashCommand[];
  /** The last lines of the log of this chat's own server. */
  log: () => readonly string[];
}

/** A conversation at a terminal: connects what is typed, the session, and what is shown. */
export class Chat {
  readonly #parts: ChatParts;
  readonly #options: ChatOptions;
  readonly #openables = new Openables();
  readonly #images = new PastedImages();
  readonly #totals = new Totals();
  readonly #remarks: Remarks;
  readonly #view: ConversationView;
  readonly #conversation: Conversation;
  readonly #opener: SessionOpener;
  readonly #questions: ApprovalQuestions;
  readonly #slash: SlashCommands;
  readonly #commands: PersonCommands;
  readonly #entry: Entry;

  constructor(parts: ChatParts, { agent }: { agent: string | undefined }) {
    this.#parts = parts;
    const { front, connection } = parts;
    this.#options = { model: connection.local?.model, showsReasoning: false };
    this.#remarks = new Remarks(front);
    this.#view = createView({
      front,
      connection,
      openables: this.#openables,
      compactionText: (sessionId, round) => this.#opener.compactionText(sessionId, round),
      folder: () => this.#entry.folder,
      showsReasoning: () => this.#options.showsReasoning,
    });
    this.#conversation = this.#createConversation(agent);
    const shared = { front, connection, conversation: this.#conversation, remarks: this.#remarks };
    this.#opener = new SessionOpener({ ...shared, view: this.#view, totals: this.#totals });
    this.#questions = new ApprovalQuestions({
      ...shared,
      surface: front.surface,
      paint: front.paint,
      rules: connection.local?.access.rules,
    });
    this.#slash = new SlashCommands(parts.commands);
    this.#commands = new PersonCommands({
      front,
      local: connection.local,
      onChange: () => this.#onChange(),
    });
    this.#entry = new Entry({
      ...shared,
      slash: this.#slash,
      slashContext: () => this.#slashContext(),
      commands: this.#commands,
      images: this.#images,
    });
  }

  /** The session, if there is one. */
  get sessionId(): string | undefined {
    return this.#conversation.id;
  }

  /** Opens the conversation, and resolves when the person leaves. */
  async converse({ session, shownTo, picks }: ChatStart): Promise<void> {
    const { front, connection } = this.#parts;
    const { client, local } = connection;
    front.surface.complete(
      chatCompletions({ slash: this.#slash, slashContext: () => this.#slashContext(), client, local }),
    );
    await this.#remarks.guarded(async () => {
      if (session !== undefined) await this.#open(session, shownTo);
      else if (picks) await this.#slash.run('/sessions', this.#slashContext());
    });
    front.texts.openDraft(this.#conversation.id);
    this.#attach();
    void this.#remarks.guarded(() => this.#leadToModel());
    await front.left;
    await this.#conversation.leave();
  }

  async #leadToModel(): Promise<void> {
    const { front, connection } = this.#parts;
    const { surface, terminal } = front;
    const { local } = connection;
    if (local?.modelProblem === undefined) return;
    const { leadToModel } = await import('./first-model.ts');
    await leadToModel({ surface, terminal, local, remarks: this.#remarks });
  }

  #attach(): void {
    const { front, connection } = this.#parts;
    attachFront({
      front,
      connection,
      conversation: this.#conversation,
      remarks: this.#remarks,
      view: this.#view,
      totals: this.#totals,
      openables: this.#openables,
      images: this.#images,
      commands: this.#commands,
      entry: this.#entry,
      options: this.#options,
      revert: async () => void (await this.#slash.run('/revert', this.#slashContext())),
    });
  }

  #createConversation(agent: string | undefined): Conversation {
    const { front, connection } = this.#parts;
    return new Conversation({
      connection,
      agent,
      model: () => this.#options.model,
      listener: {
        onMessage: (message) => {
          // A terminal that edits the line itself still shows it.
          if (!message.isOwn || !front.surface.keepsEntered) this.#view.showMessage(message);
        },
        onEvent: (event) => this.#onEvent(event),
        onChange: () => this.#onChange(),
        onRemark: (text) => this.#remarks.say(text),
      },
    });
  }

  #slashContext(): SlashContext {
    const { front, connection, log } = this.#parts;
    return createSlashContext(front, connection, {
      conversation: this.#conversation,
      send: (text) => this.#entry.send(text),
      openSession: (id) => (id === undefined ? this.#begin() : this.#open(id)),
      options: this.#options,
      log,
    });
  }

  async #begin(): Promise<void> {
    await this.#opener.begin();
    this.#onChange();
  }

  async #open(sessionId: string, shownTo?: number): Promise<void> {
    await this.#opener.open(sessionId, shownTo);
    this.#options.model = this.#conversation.model;
    this.#onChange();
    await this.#opener.measure();
  }

  #onEvent(event: LonghaulEvent): void {
    this.#view.show(event);
    this.#totals.take(event);
    if (event.type === 'context:usage') this.#questions.beginStep();
    void this.#remarks.guarded(() => this.#opener.measureAfter(event));
    notifyEnd(this.#parts.front.surface, event, this.#conversation);
  }

  #onChange(): void {
    const { front } = this.#parts;
    const { surface } = front;
    const { isBusy, title, id } = this.#conversation;
    front.texts.openDraft(id);
    showWork(surface, { isBusy, isWorking: isBusy || this.#commands.areRunning, title });
    void this.#remarks.guarded(() => this.#questions.update());
    surface.redraw();
  }
}
