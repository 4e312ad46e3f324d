import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A page stays signed in for this time. */
const VALID_MS = 7 * 24 * 60 * 60_000;
const NONCE_BYTES = 12;
const TOKEN =
  /^lhp_(?<text>(?<end>[0-9a-z]{1,11})\.[\w-]{16}(?:\.(?<name>[a-z0-9][a-z0-9_-]{0,62}))?)\.(?<proof>[\w-]{43})$/;

export interface PageToken {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** The named token with which a page has signed in. Undefined: the token of the server. */
export type PageHolder = { name: string; hash: string } | undefined;

/**
 * Issues and checks the tokens of pages. A token is its end, a random number, and the name of the named token that the
 * page has signed in with, signed with a key that comes from the server's token and the hash of the named token. So it
 * ends by itself, survives a restart, does not show the token that it comes from, and ends with that one.
 */
export class PageTokens {
  readonly #key: Buffer;
  readonly #now: () => number;

  constructor(serverToken: string, now: () => number = Date.now) {
    this.#key = createHmac('sha256', serverToken).update('longhaul tokens of pages 1').digest();
    this.#now = now;
  }

  issue(holder?: PageHolder): PageToken {
    const expiresAt = this.#now() + VALID_MS;
    const nonce = randomBytes(NONCE_BYTES).toString('base64url');
    const text = [expiresAt.toString(36), nonce, ...(holder === undefined ? [] : [holder.name])].join('.');
    return { token: `lhp_${text}.${this.#proofOf(text, holder).toString('base64url')}`, expiresAt };
  }

  /**
   * Returns the holder of a token that was issued here and has not expired. Null: the header has none.
   *
   * @param holderOf Returns the named token, if it is still valid.
   */
  async holder<Holder extends PageHolder>(
    authorization: string | undefined,
    holderOf: (name: string) => Promise<Holder | undefined>,
  ): Promise<Holder | undefined | null> {
    const given = /^Bearer +(\S{1,200})$/i.exec(authorization ?? '')?.[1] ?? '';
    const { text, end, name, proof } = TOKEN.exec(given)?.groups ?? {};
    if (text === undefined || end === undefined || proof === undefined) return null;
    const holder = name === undefined ? undefined : await holderOf(name);
    if (name !== undefined && holder === undefined) return null;
    const isIssued = timingSafeEqual(Buffer.from(proof, 'base64url'), this.#proofOf(text, holder));
    return isIssued && this.#now() < Number.parseInt(end, 36) ? holder : null;
  }

  #proofOf(text: string, holder: PageHolder): Buffer {
    return createHmac('sha256', this.#key)
      .update(holder === undefined ? text : `${text}\n${holder.hash}`)
      .digest();
  }
}
