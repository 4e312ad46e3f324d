import type { LonghaulClient } from '@longhaul/client';
import type { Paint } from '../../render/paint.ts';
import type { Terminal } from '../../terminal.ts';
import type { LocalParts } from '../connection/connection.ts';
import type { Conversation } from '../conversation.ts';
import type { AutocompleteItem } from '../pi-tui.ts';
import type { Surface } from '../surface/surface.ts';

/** What a command can use. */
export interface SlashContext {
  client: LonghaulClient;
  local: LocalParts | undefined;
  conversation: Conversation;
  surface: Surface;
  terminal: Terminal;
  paint: Paint;
  colors: boolean;
  /** Columns of permanent text. */
  columns: number;
  /** Prints permanent lines. */
  print: (text: string) => void;
  /** Sends a text as a message. */
  send: (text: string) => Promise<void>;
  /** Opens another session, or a new one. */
  openSession: (id: string | undefined) => Promise<void>;
  /** Puts a text into the composer. */
  compose: (text: string) => void;
  /** What this chat remembers between its commands. */
  options: ChatOptions;
  /** The last lines of the log of this chat's own server. */
  log: () => readonly string[];
  /** Ends the chat. */
  leave: () => void;
}

/** What a person can change while they chat. */
export interface ChatOptions {
  model: string | undefined;
  showsReasoning: boolean;
}

/** A command that is typed as `/name words`. */
export interface SlashCommand {
  name: string;
  aliases?: readonly string[];
  /** What follows the name: `[words]` or `WORDS`. */
  hint?: string;
  description: string;
  /** It is not offered, and only says why it cannot be used. */
  isUnusable?: boolean;
  values?: (context: SlashContext) => Promise<readonly AutocompleteItem[]>;
  /** @param words What follows the name, without blanks around it. */
  run: (words: string, context: SlashContext) => Promise<void>;
}
