/** A set of keys that stores only a 64-bit hash of each, at most 32 bytes a key. */
export class SeenKeys {
  #slots = new Uint32Array(2048);
  #count = 0;

  /** @returns False if the key was already in the set. */
  add(key: string): boolean {
    // Zero marks a free slot.
    const low = firstHash(key) || 1;
    if (!this.#put(low, secondHash(key))) return false;
    this.#count += 1;
    if (this.#count * 4 > this.#slots.length) this.#grow();
    return true;
  }

  has(key: string): boolean {
    const low = firstHash(key) || 1;
    const slot = this.#find(low, secondHash(key));
    return this.#slots[slot * 2] === low;
  }

  get size(): number {
    return this.#count;
  }

  #put(low: number, high: number): boolean {
    const slot = this.#find(low, high);
    if (this.#slots[slot * 2] === low) return false;
    this.#slots[slot * 2] = low;
    this.#slots[slot * 2 + 1] = high;
    return true;
  }

  /** Returns the slot of the key, or the free slot for it. */
  #find(low: number, high: number): number {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = high & mask;
    while (slots[slot * 2] !== 0 && !(slots[slot * 2] === low && slots[slot * 2 + 1] === high))
      slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let index = 0; index < old.length; index += 2) {
      const low = old[index] ?? 0;
      if (low !== 0) this.#put(low, old[index + 1] ?? 0);
    }
  }
}

/** FNV-1a. */
function firstHash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return mixed(value);
}

/** Uses another polynomial, so that keys that collide in the first hash differ in this one. */
function secondHash(text: string): number {
  let value = text.length;
  for (let index = 0; index < text.length; index += 1)
    value = (Math.imul(value, 0x5bd1e995) + text.charCodeAt(index)) | 0;
  return mixed(value);
}

/** Mixes the bits, because the low ones select the slot. */
function mixed(value: number): number {
  const once = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (once ^ (once >>> 13)) >>> 0;
}
