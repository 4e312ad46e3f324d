import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time in which a browser must use a code. */
const VALID_MS = 60_000;
const CODE_BYTES = 32;
/** A new code replaces the oldest one. */
const MAX_CODES = 16;

interface Code {
  hash: Buffer;
  expiresAt: number;
}

/** One-time codes that sign a browser in. Only their hashes are kept. */
export class PageCodes {
  readonly #now: () => number;
  #codes: Code[] = [];

  /** @param now A clock that nobody can set. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  issue(): string {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const valid = [...this.#valid(), { hash: hashOf(code), expiresAt: this.#now() + VALID_MS }];
    this.#codes = valid.slice(-MAX_CODES);
    return code;
  }

  /** Uses a code up. Returns false if it is unknown, was used before, or has expired. */
  take(code: string): boolean {
    const hash = hashOf(code);
    const valid = this.#valid();
    // Every code is compared, and each in constant time.
    const isTaken = valid.map((each) => timingSafeEqual(each.hash, hash));
    this.#codes = valid.filter((_, index) => isTaken[index] !== true);
    return isTaken.includes(true);
  }

  #valid(): Code[] {
    const now = this.#now();
    return this.#codes.filter(({ expiresAt }) => now < expiresAt);
  }
}

function hashOf(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}
