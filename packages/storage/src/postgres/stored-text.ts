/** A text column contains any text but this character and half surrogate pairs. */
const NUL = '\0';
/** Begins a text that is stored as JSON. No character of a language is here. */
const MARK = '\u{10ffff}';

/** Returns a text as a text column can contain it. */
export function toStoredText(text: string): string {
  return text.includes(NUL) || text.startsWith(MARK) || !text.isWellFormed()
    ? MARK + JSON.stringify(text)
    : text;
}

/** Reverses {@link toStoredText}. */
export function fromStoredText(stored: string): string {
  return stored.startsWith(MARK) ? String(JSON.parse(stored.slice(MARK.length))) : stored;
}
