import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createBearerCheck,
  createPageFiles,
  createPageSignIn,
  type PageFiles,
  type PageSignIn,
  PageTokens,
  readRequestBody,
} from '@longhaul/models/http';
import { isObject, LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type { GatewayCore } from '../gateway-core.ts';
import { checkJsonType } from '../http/body-type.ts';
import { sendError } from '../http/send-error.ts';
import { senderOf } from '../http/sender.ts';
import { changeSettings } from './change-settings.ts';
import type { ConversationBook } from './conversation-book.ts';
import { createPageAccess, type PageAccess } from './page-access.ts';
import { PageEvents } from './page-events.ts';
import type { GatewayPageOptions } from './page-options.ts';
import { type PageParts, pageState } from './page-state.ts';
import { ServerLists } from './server-lists.ts';

const MAX_BODY_BYTES = 64_000;

interface PageOptions extends GatewayPageOptions {
  conversations: ConversationBook;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/**
 * The page of the gateway. Its files hold nothing secret and need no token. All other requests need the token of a page
 * that is signed in.
 */
export class GatewayPage {
  readonly #core: GatewayCore;
  readonly #files: PageFiles;
  readonly #signIn: PageSignIn;
  readonly #access: PageAccess;
  readonly #parts: PageParts;
  readonly #events: PageEvents;
  readonly #handlers: Readonly<Record<string, Handler>>;

  constructor(core: GatewayCore, { folder, token, keeper, conversations }: PageOptions) {
    const { host, hosts } = core.settings;
    this.#core = core;
    this.#files = createPageFiles(folder);
    const tokens = new PageTokens(token);
    this.#signIn = createPageSignIn(signInTokens(token, tokens), WORDS);
    this.#access = createPageAccess([host, ...hosts], tokens);
    this.#parts = { conversations, keeper, lists: new ServerLists(core) };
    this.#events = new PageEvents({
      state: () => JSON.stringify(this.#state()),
      renew: () => void this.#parts.lists.renew(),
    });
    this.#handlers = {
      'GET /page/state': (_, response) => sendJson(response, this.#state()),
      'GET /page/events': (request, response) => this.#stream(request, response),
      'GET /page/compaction': (request, response) => sendJson(response, this.#compaction(request)),
      'PUT /page/settings': (request, response) => this.#change(request, response),
    };
  }

  /** Whether a request is for the page: everything else is for the API of the gateway. */
  handles({ method, url = '/', headers }: IncomingMessage): boolean {
    const path = pathOf(url);
    if (path === '/') return method === 'GET' && /text\/html/.test(headers.accept ?? '');
    return path.startsWith('/page/') || path.startsWith('/assets/') || path === '/theme.js';
  }

  /** Never rejects: an error becomes the answer. There are no CORS headers. */
  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#access.admit(request);
      if (!pathOf(request.url).startsWith('/page/')) return await this.#sendFile(request, response);
      await this.#handle(request, response);
    } catch (thrown) {
      if (response.destroyed) return;
      const error = toLonghaulError(thrown);
      // A page asks first whether it is signed in.
      if (!isQuestion(request, error)) this.#core.noteError(error);
      sendError(response, error, { 'cache-control': 'no-store' });
    }
  }

  /** Returns a new one-time code, which signs one page in. */
  newCode(): string {
    const code = this.#signIn.newCode();
    if (code === undefined) throw new LonghaulError('internal', 'The page has no token.');
    return code;
  }

  close(): void {
    this.#events.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = `${request.method} ${pathOf(request.url)}`;
    if (name === 'POST /page/session') return this.#openSession(request, response);
    await this.#access.authenticate(request);
    const handler = Object.hasOwn(this.#handlers, name) ? this.#handlers[name] : undefined;
    if (handler === undefined) throw new LonghaulError('not_found', `There is no ${name} here.`);
    await handler(request, response);
  }

  async #openSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.#body(request);
    const code = isObject(body) ? body['code'] : undefined;
    const signedIn = await this.#signIn.signIn({
      ...senderOf(request),
      address: request.socket.remoteAddress ?? '',
      authorization: request.headers.authorization,
      code: typeof code === 'string' ? code : undefined,
    });
    sendJson(response, signedIn ?? {});
  }

  #state() {
    return pageState(this.#core, this.#parts);
  }

  #stream(request: IncomingMessage, response: ServerResponse): void {
    if (this.#events.isFull)
      throw new LonghaulError(
        'rate_limited',
        'Too many pages are open. Close one, and load this one again.',
        {
          data: { retryAfterSeconds: 5 },
        },
      );
    response.writeHead(200, { ...PRIVATE, 'content-type': 'text/event-stream; charset=utf-8' });
    this.#events.add(response, () => this.#access.isSignedIn(request));
    void this.#parts.lists.renew().then(() => this.#events.sendNow());
  }

  #compaction(request: IncomingMessage) {
    const id = new URL(request.url ?? '/', 'http://gateway').searchParams.get('id') ?? '';
    const found = this.#parts.conversations.compaction(id);
    if (found !== undefined) return found;
    throw new LonghaulError('not_found', 'The gateway no longer remembers this compaction.');
  }

  async #change(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { keeper, lists } = this.#parts;
    await changeSettings(this.#core, await this.#body(request), { keeper, lists });
    sendJson(response, this.#state());
    this.#events.sendNow();
  }

  async #body(request: IncomingMessage): Promise<unknown> {
    checkJsonType(request);
    const { bodyStallMs: stallMs } = this.#core.settings;
    const bytes = await readRequestBody(request, { maxBytes: MAX_BODY_BYTES, stallMs });
    try {
      return JSON.parse(bytes.toString('utf8'));
    } catch (cause) {
      throw new LonghaulError('invalid_request', 'The body is not valid JSON.', { cause });
    }
  }

  async #sendFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request.url);
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join() : value;
    };
    const file = await this.#files.answer({ method: request.method ?? 'GET', path, header });
    if (file === undefined) throw new LonghaulError('not_found', `The page has no file ${path}.`);
    response.writeHead(file.status, Object.fromEntries(file.headers));
    response.end(request.method === 'HEAD' ? undefined : Buffer.from(await file.arrayBuffer()));
  }
}

function isQuestion({ method }: IncomingMessage, { code }: LonghaulError): boolean {
  return method === 'GET' && code === 'unauthorized';
}

const WORDS = {
  command: 'longhaul gateway',
  wrongToken: 'The token is missing or wrong. It is in the file that longhaul gateway prints when it starts.',
};

/** There is one token: that of the page. */
function signInTokens(token: string, pages: PageTokens) {
  const isToken = createBearerCheck(token);
  const findHolder = async (authorization: string | undefined) =>
    isToken(authorization) ? { holder: undefined } : undefined;
  return { pages, findHolder };
}

const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { ...PRIVATE, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

function pathOf(url = '/'): string {
  return url.split('?')[0] ?? '/';
}
