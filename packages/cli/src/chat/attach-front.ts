import { chatKeys } from './chat-keys.ts';
import type { PastedImages } from './composer/pasted-images.ts';
import type { Connection } from './connection/connection.ts';
import type { Conversation } from './conversation.ts';
import type { Entry } from './entry.ts';
import type { Front } from './front.ts';
import type { PersonCommands } from './person-commands.ts';
import type { Remarks } from './remarks.ts';
import type { ChatOptions } from './slash/slash-command.ts';
import { ActivityLines } from './view/activity-lines.ts';
import type { ConversationView } from './view/conversation-view.ts';
import type { Openables } from './view/openable.ts';
import type { Totals } from './view/totals.ts';

export interface AttachedParts {
  front: Front;
  connection: Connection;
  conversation: Conversation;
  remarks: Remarks;
  view: ConversationView;
  totals: Totals;
  openables: Openables;
  images: PastedImages;
  commands: PersonCommands;
  entry: Entry;
  options: ChatOptions;
  /** Starts `/revert`. */
  revert: () => Promise<void>;
}

/** Takes the screen and the keys from the front: connects them with the parts of a chat. */
export function attachFront({ connection, view, totals, entry, options, ...parts }: AttachedParts): void {
  const { front, conversation, commands, remarks } = parts;
  const activity = new ActivityLines({
    front,
    view,
    conversation,
    totals,
    isRunning: () => commands.areRunning,
    // A key that was stored since can have chosen the model.
    model: () => conversation.model ?? options.model ?? connection.local?.model,
    folder: () => entry.folder ?? front.terminal.cwd,
  });
  const enter = (text: string) => entry.enter(text);
  front.attach({
    above: (columns) => activity.above(columns),
    status: (columns) => activity.status(columns),
    onEnter: (text) => void remarks.guarded(() => enter(text)),
    onKey: chatKeys({ ...parts, enter }),
  });
}
