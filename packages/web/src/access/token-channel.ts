import { ownName } from './page-place.ts';

type TokenMessage = { kind: 'question' } | { kind: 'token'; token: string };

const NAME = 'longhaul-access';
/** How long a new tab waits for another tab of this browser. */
const WAIT_MS = 150;

/** Gives the token to the other tabs of this page, so that each browser is asked once. */
export class TokenChannel {
  readonly #channel = new BroadcastChannel(ownName(NAME));
  readonly #current: () => string | undefined;
  readonly #onToken: (token: string) => void;

  constructor(options: { current: () => string | undefined; onToken: (token: string) => void }) {
    this.#current = options.current;
    this.#onToken = options.onToken;
    this.#channel.onmessage = ({ data }: MessageEvent<TokenMessage>) => this.#take(data);
  }

  share(token: string): void {
    this.#send({ kind: 'token', token });
  }

  /** Returns the token of another tab, if one answers. */
  async ask(): Promise<string | undefined> {
    const answered = Promise.withResolvers<string | undefined>();
    const listen = ({ data }: MessageEvent<TokenMessage>) => {
      if (data.kind === 'token') answered.resolve(data.token);
    };
    this.#channel.addEventListener('message', listen);
    const timer = setTimeout(() => answered.resolve(undefined), WAIT_MS);
    this.#send({ kind: 'question' });
    try {
      return await answered.promise;
    } finally {
      clearTimeout(timer);
      this.#channel.removeEventListener('message', listen);
    }
  }

  close(): void {
    this.#channel.close();
  }

  #take(message: TokenMessage): void {
    const token = this.#current();
    if (message.kind === 'token') this.#onToken(message.token);
    else if (token !== undefined) this.share(token);
  }

  #send(message: TokenMessage): void {
    this.#channel.postMessage(message);
  }
}
