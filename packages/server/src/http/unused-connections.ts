import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows the connections that have sent no request yet. Browsers open some in advance, and `closeIdleConnections` of
 * Node.js leaves them open.
 */
export class UnusedConnections {
  readonly #sockets = new Set<Socket>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('request', ({ socket }) => this.#sockets.delete(socket));
  }

  /** Closes them. A request that is just arriving is lost. */
  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
