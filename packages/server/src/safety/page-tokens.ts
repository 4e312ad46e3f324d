import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A page stays signed in for this time. */
const VALID_MS = 7 * 24 * 60 * 60_000;
const NONCE_BYTES = 12;
const TOKEN = /^lhp_(?<text>[0-9a-z]{1,11}\.[\w-]{16})\.(?<proof>[\w-]{43})$/;

export interface PageToken {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Issues and checks the tokens of pages. A token is its end and a random number, signed with a key that comes from the
 * server's token. So it ends by itself, survives a restart, does not show the server's token, and ends with that one.
 */
export class PageTokens {
  readonly #key: Buffer;
  readonly #now: () => number;

  constructor(serverToken: string, now: () => number = Date.now) {
    this.#key = createHmac('sha256', serverToken).update('longhaul tokens of pages 1').digest();
    this.#now = now;
  }

  issue(): PageToken {
    const expiresAt = this.#now() + VALID_MS;
    const text = `${expiresAt.toString(36)}.${randomBytes(NONCE_BYTES).toString('base64url')}`;
    return { token: `lhp_${text}.${this.#proofOf(text).toString('base64url')}`, expiresAt };
  }

  /** Whether an `Authorization` header has a token that was issued here and has not expired. */
  accepts(authorization: string | undefined): boolean {
    const given = /^Bearer +(\S{1,100})$/i.exec(authorization ?? '')?.[1] ?? '';
    const { text, proof } = TOKEN.exec(given)?.groups ?? {};
    if (text === undefined || proof === undefined) return false;
    const isIssued = timingSafeEqual(Buffer.from(proof, 'base64url'), this.#proofOf(text));
    return isIssued && this.#now() < Number.parseInt(text, 36);
  }

  #proofOf(text: string): Buffer {
    return createHmac('sha256', this.#key).update(text).digest();
  }
}
