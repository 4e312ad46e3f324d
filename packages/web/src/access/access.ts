import { createStore, type StoreApi } from 'zustand/vanilla';
import { type AccessPlace, SERVER_PLACE } from './access-place.ts';
import { type AccessAnswer, checkAccess, exchange } from './check-access.ts';
import { forgetToken, isToken, storedToken, storeToken, takeCode } from './token.ts';
import { TokenChannel } from './token-channel.ts';

export interface AccessState {
  /** `asking`: only a person can give a token. `unreachable`: nobody answers at this address. */
  phase: 'checking' | 'open' | 'asking' | 'unreachable';
  /** Why the last token was not accepted. */
  problem: string | undefined;
  /** Whether the page was open before. It then stays behind the question, with all that was typed. */
  wasOpen: boolean;
}

const EXPIRED_LINK = 'The link has expired or was used before.';
const NOT_A_TOKEN = 'This is not a token: a token is one word of letters, digits and signs.';
const NOT_ACCEPTED = 'The server does not accept this token.';
const ENDED = 'The access of this page has ended.';

/** The right of this tab to use the server: where the token comes from, and when a person must give one. */
export class Access {
  readonly store: StoreApi<AccessState> = createStore<AccessState>(() => ({
    phase: 'checking',
    problem: undefined,
    wasOpen: false,
  }));
  readonly #tabs = new TokenChannel({
    current: () => (this.#phase === 'open' ? this.token : undefined),
    onToken: (token) => {
      if (this.#phase === 'asking') void this.#enter(checkAccess(this.place, token));
    },
  });
  #hasStarted = false;
  readonly place: AccessPlace;
  token: string | undefined;

  constructor(place: AccessPlace = SERVER_PLACE) {
    this.place = place;
  }

  /** Uses the code of the address, or the token of this tab or of another one. Only the first call counts. */
  async start(): Promise<void> {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const code = takeCode();
    const entered = code === undefined ? undefined : await exchange(this.place, { code });
    if (entered !== undefined && entered.kind !== 'refused') return this.#enter(entered);
    await this.#enterAgain(entered === undefined ? undefined : EXPIRED_LINK);
  }

  /** Tries again after the server did not answer. */
  async retry(): Promise<void> {
    await this.#enterAgain(undefined);
  }

  /** Exchanges the token that a person has typed. */
  async signIn(typed: string): Promise<void> {
    const serverToken = typed.trim();
    if (!isToken(serverToken)) return this.#ask(NOT_A_TOKEN);
    await this.#enter(exchange(this.place, { serverToken }));
  }

  /** The server has refused a request with this token. */
  refuse(token: string | undefined): void {
    if (this.#phase !== 'open' || token !== this.token) return;
    forgetToken();
    this.#ask(ENDED);
  }

  /** Resolves when requests make sense. @throws The reason of the signal if it aborts before. */
  async whenOpen(signal: AbortSignal | null | undefined): Promise<void> {
    if (this.#phase === 'open') return;
    const opened = Promise.withResolvers<void>();
    const onAbort = () => opened.reject(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    const unsubscribe = this.store.subscribe(({ phase }) => phase === 'open' && opened.resolve());
    try {
      if (signal?.aborted === true) onAbort();
      await opened.promise;
    } finally {
      unsubscribe();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Leaves the other tabs. */
  close(): void {
    this.#tabs.close();
  }

  get #phase(): AccessState['phase'] {
    return this.store.getState().phase;
  }

  async #enterAgain(problem: string | undefined): Promise<void> {
    this.store.setState({ phase: 'checking' });
    const stored = storedToken();
    const answer = await checkAccess(this.place, stored);
    if (answer.kind !== 'refused') return this.#enter(answer);
    if (stored === storedToken()) forgetToken();
    const shared = await this.#tabs.ask();
    const second = shared === undefined ? undefined : await checkAccess(this.place, shared);
    if (second !== undefined && second.kind !== 'refused') return this.#enter(second);
    this.#ask(problem);
  }

  async #enter(pending: AccessAnswer | Promise<AccessAnswer>): Promise<void> {
    const answer = await pending;
    if (answer.kind === 'refused') return this.#ask(answer.reason ?? NOT_ACCEPTED);
    if (answer.kind === 'unreachable') return this.store.setState({ phase: 'unreachable' });
    const { token } = answer;
    this.token = token;
    if (token !== undefined) {
      storeToken(token);
      this.#tabs.share(token);
    }
    this.store.setState({ phase: 'open', problem: undefined, wasOpen: true });
  }

  #ask(problem: string | undefined): void {
    this.store.setState({ phase: 'asking', problem });
  }
}
