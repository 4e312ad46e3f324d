import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LonghaulError } from '@longhaul/protocol';

/** The address on this machine to which a browser returns with the code of a login. */
export class LoginCallback implements AsyncDisposable {
  /** Protects the answer: requests with another state are refused, and do not end the login. */
  readonly state = randomBytes(32).toString('base64url');
  readonly #server = createServer((request, response) => this.#answer(request.url ?? '', response));
  readonly #code = Promise.withResolvers<string>();

  /**
   * @param port 0: a free one.
   * @throws {LonghaulError} `mcp_unavailable` if the port is taken.
   */
  static async open(port = 0): Promise<LoginCallback> {
    const callback = new LoginCallback();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    callback.#server.once('error', reject);
    callback.#server.listen(port, '127.0.0.1', resolve);
    await promise.catch((cause: Error) => {
      const text = `The answer to the login cannot be awaited on port ${port} (\`oauth.callbackPort\`): ${cause.message}`;
      throw new LonghaulError('mcp_unavailable', text, { cause });
    });
    // Nobody may wait for the code.
    callback.#code.promise.catch(() => undefined);
    return callback;
  }

  get address(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/callback`;
  }

  /**
   * Waits for the code.
   *
   * @throws {LonghaulError} `mcp_unavailable` if the login was refused; the reason of the signal.
   */
  async code(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => this.#code.reject(signal.reason), { once: true });
    return await this.#code.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, response: ServerResponse): void {
    const url = URL.parse(path, 'http://127.0.0.1');
    if (url?.pathname !== '/callback') reply(response, 404, 'Not found.');
    else if (url.searchParams.get('state') !== this.state)
      reply(response, 400, 'This is not the answer to the login that was begun.');
    else reply(response, 200, this.#settle(url.searchParams));
  }

  /** Returns what the page shows. */
  #settle(query: URLSearchParams): string {
    const [code, error] = [query.get('code'), query.get('error')];
    if (error === null && code !== null) {
      this.#code.resolve(code);
      return 'You are logged in. You can close this page.';
    }
    const reason = (query.get('error_description') ?? error ?? 'it sent no code').slice(0, 500);
    this.#code.reject(new LonghaulError('mcp_unavailable', `The login was refused: ${reason}`));
    return 'The login was refused. You can close this page.';
  }
}

function reply(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(`${text}\n`);
}
