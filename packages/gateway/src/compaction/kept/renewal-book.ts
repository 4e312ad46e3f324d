import { BoundedMemo } from '../conversation/bounded-memo.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { shortDigest } from '../conversation/message-digest.ts';

/** Clients renew messages among this many first ones, such as a map of the repository after some examples. */
const MAX_PREAMBLE = 16;
/** After the last renewed message, this many must be the same: then two requests are of one conversation. */
const MIN_SAME = 2;
const SEEN = 24;
/** Requests remembered for each owner, and owners: about 5 MB at most. */
const MAX_REQUESTS = 16;
const MAX_OWNERS = 500;
/** An edited message has two forms. One that the client renews has more. */
const MIN_FORMS = 3;

/** Remembers how the last requests began, and notices which of the first messages a client renews each turn. */
export class RenewalBook {
  readonly #requests = new BoundedMemo<readonly (readonly string[])[]>(MAX_OWNERS);

  /** Remembers a request, and returns the places of `rest` that the client renews. */
  note({ rest }: Conversation, owner: string): number[] {
    const begun = rest.slice(0, SEEN).map(shortDigest);
    const earlier = (this.#requests.get(owner) ?? []).filter((other) => other.join() !== begun.join());
    this.#requests.set(owner, [...earlier, begun].slice(-MAX_REQUESTS));
    const forms = [begun, ...earlier.filter((other) => isSameConversation(begun, other))];
    return Array.from({ length: Math.min(MAX_PREAMBLE, rest.length) }, (_, place) => place).filter(
      (place) => new Set(forms.map((digests) => digests[place])).size >= MIN_FORMS,
    );
  }
}

function isSameConversation(one: readonly string[], other: readonly string[]): boolean {
  const length = Math.min(one.length, other.length);
  const lastChanged = one
    .slice(0, Math.min(length, MAX_PREAMBLE))
    .findLastIndex((digest, place) => digest !== other[place]);
  const after = one.slice(lastChanged + 1, lastChanged + 1 + MIN_SAME);
  return (
    lastChanged + MIN_SAME < length &&
    after.every((digest, index) => digest === other[lastChanged + 1 + index])
  );
}
