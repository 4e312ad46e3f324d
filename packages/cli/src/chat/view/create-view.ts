import type { Connection } from '../connection/connection.ts';
import type { Front } from '../front.ts';
import { ConversationView, type ConversationViewOptions } from './conversation-view.ts';
import { createLinks } from './links.ts';

export interface CreateViewOptions
  extends Pick<ConversationViewOptions, 'openables' | 'compactionText' | 'showsReasoning'> {
  front: Front;
  connection: Connection;
  /** The folder of the session, or of the next one. */
  folder: () => string | undefined;
}

/** The view of a conversation on the screen of the front. Paths are links only if they are on this machine. */
export function createView({ front, connection, folder, ...shown }: CreateViewOptions): ConversationView {
  return new ConversationView({
    ...shown,
    paint: front.paint,
    colors: front.colors,
    // A surface that always shows its status redraws a line for each child.
    announcesChildren: !front.surface.showsStatus,
    columns: () => front.columns,
    print: (text) => front.surface.print(text),
    links: createLinks({
      env: front.terminal.env,
      folder: () => (connection.local === undefined ? undefined : folder()),
    }),
  });
}
