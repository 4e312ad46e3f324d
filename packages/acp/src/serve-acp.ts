import { MessageTooLargeError, ndJsonStream } from '@agentclientprotocol/sdk';
import type { AcpOptions } from './acp-options.ts';
import { createAgentApp } from './agent-app.ts';
import { ClientLink } from './client-link.ts';
import { editorTools } from './editor/editor-tools.ts';
import { SessionBook } from './sessions/session-book.ts';
import { Workspaces } from './sessions/workspaces.ts';

/** A prompt with 20 MB of images has 27 MB. A longer line than this ends the connection. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Serves sessions to one client until it leaves or the signal aborts. Then all runs are interrupted, so that their
 * sessions can be resumed, and everything is closed. Errors that a client causes are responses.
 */
export async function serveAcp(options: AcpOptions): Promise<void> {
  const { version, defaultFolder, openWorkspace, log, signal, input, output } = options;
  const link = new ClientLink(() => connection, log);
  await using workspaces = new Workspaces({
    openWorkspace,
    wrapTools: (tools, { id }) => {
      const session = book.find(id);
      return session === undefined
        ? tools
        : editorTools(tools, { sessionId: id, folder: session.folder, link });
    },
    onEvent: (event) => book.find(event.sessionId)?.receive(event),
  });
  const book = new SessionBook({ workspaces, link, defaultFolder });
  const connection = createAgentApp({ book, link, version }).connect(
    ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES }),
  );
  const leave = () => connection.close();
  signal?.addEventListener('abort', leave);
  if (signal?.aborted === true) leave();
  await connection.closed;
  signal?.removeEventListener('abort', leave);
  const { reason } = connection.signal;
  if (reason instanceof MessageTooLargeError)
    log(`The connection ended, because the client sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`);
}
