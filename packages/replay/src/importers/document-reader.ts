import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { parseObjects, repairObject } from './parse-objects.ts';
import type { ReportDraft } from './report.ts';
import { BACKSLASH, CLOSE_LIST, CLOSE_OBJECT, OPEN_LIST, OPEN_OBJECT, QUOTE } from './split-values.ts';
import { StartFinder } from './start-finder.ts';

export interface DocumentHandlers {
  element(element: JsonObject, list: string): void;
  field(name: string, value: JsonValue): void;
  /** The text of a whole session in the list `children`, as far as it can be read. */
  child(text: string): void;
}

/** The list of blobs in our own export. */
export const PACKS = 'packs';
/** The list of child sessions in our own export. */
const CHILDREN = 'children';
/** The lists whose elements make up a session. */
const LISTS = new Set(['messages', 'history', 'trajectory', 'steps', CHILDREN, PACKS]);
const MAX_ELEMENT_CHARS = 96_000_000;
const MAX_FIELD_CHARS = 8_000_000;
const CUT_OFF = 'the end of the document, which is cut off: the file was still being written, or was cut';
const NEWLINE = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;

/** The list or object whose values are read. */
interface Container {
  /** The list's name. Undefined in the document's own object, `''` if the document is a list. */
  list: string | undefined;
  depth: number;
  count: number;
}

/** The text of the current value: a key or a field of the document, or an element of a list. */
interface Unit {
  pieces: string[];
  chars: number;
}

/**
 * Reads one JSON document of any size in pieces. It passes on each field and each element of a list as soon as it is
 * complete, so a document that is cut off is read up to the cut. After damage it continues at the next text that starts
 * like the earlier elements.
 */
export class DocumentReader {
  readonly #report: ReportDraft;
  readonly #handlers: DocumentHandlers;
  readonly #starts = new StartFinder();
  #documents = 0;
  #container: Container | undefined;
  #key: string | undefined;
  #unit: Unit | undefined;
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** The list in which damage was found, until the start of the next element. */
  #seeking: string | undefined;
  /** Whether damage was found. From then on, text that does not look like an element is ignored. */
  #isDamaged = false;

  constructor(report: ReportDraft, handlers: DocumentHandlers) {
    this.#report = report;
    this.#handlers = handlers;
  }

  push(text: string): void {
    for (let rest: string | undefined = text; rest !== undefined && rest !== ''; ) {
      rest = this.#seeking === undefined ? this.#scan(rest) : this.#seek(rest, this.#seeking);
    }
  }

  end(): void {
    this.#leaveField();
    while (this.#unit !== undefined && this.#container?.list !== undefined && this.#canSearch()) {
      const { pieces } = this.#unit;
      const text = pieces.join('');
      const next = this.#starts.find(text, 1);
      if (next === -1) break;
      this.#damage();
      this.push(text.slice(next));
    }
    this.#cutOff();
  }

  /** Finds the list inside a field that does not end: the field's closing quote is missing. */
  #leaveField(): void {
    if (this.#unit === undefined || this.#container?.list !== undefined || this.#documents > 1) return;
    const text = this.#unit.pieces.join('');
    const list = /"(messages|history|trajectory|steps)"\s*:\s*\[/.exec(text);
    if (list?.[1] === undefined) return;
    this.#report.skip('damaged fields of the document');
    this.#unit = undefined;
    this.#inString = false;
    this.#isEscaped = false;
    this.#enter(list[1]);
    this.push(text.slice(list.index + list[0].length));
  }

  #cutOff(): void {
    const container = this.#container;
    if (container === undefined) return;
    this.#locate(container);
    this.#report.skip(CUT_OFF);
    if (container.list === CHILDREN) {
      if (this.#unit !== undefined) this.#handlers.child(this.#unit.pieces.join(''));
      return;
    }
    const partial = this.#unit === undefined ? undefined : repairObject(this.#unit.pieces.join(''));
    if (partial !== undefined && container.list !== undefined) this.#element(partial, container.list);
  }

  /**
   * Reads up to the end of a value or to damage, and returns the rest of the text. Returns undefined at the end of the
   * text.
   */
  #scan(text: string): string | undefined {
    let from = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (this.#inString) {
        if (!this.#endsString(code) || !this.#isUnitOver()) continue;
        if (this.#endUnit(text.slice(from, index + 1))) return text.slice(index + 1);
      } else if (this.#unit === undefined || this.#depth === this.#container?.depth) {
        if (this.#unit !== undefined && endsScalar(code) && this.#endUnit(text.slice(from, index)))
          return text.slice(index);
        const step = this.#between(code);
        if (step === 'damage') return text.slice(index + 1);
        if (step === 'unit') from = index;
      } else if (this.#within(code) && this.#endUnit(text.slice(from, index + 1))) {
        return text.slice(index + 1);
      }
    }
    this.#keep(text.slice(from));
    return undefined;
  }

  /** Ends a string at its quote, or at a line break: JSON strings contain none, so the closing quote is missing. */
  #endsString(code: number): boolean {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE || code === NEWLINE) this.#inString = false;
    return !this.#inString;
  }

  #isUnitOver(): boolean {
    return this.#unit !== undefined && this.#depth === this.#container?.depth;
  }

  /** Handles a character between the values of the container, or the first character of a value. */
  #between(code: number): 'unit' | 'damage' | undefined {
    if (this.#container === undefined) return this.#openRoot(code);
    if (code <= 0x20 || code === COLON || this.#unit !== undefined) return undefined;
    if (code === COMMA) this.#key = undefined;
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) return this.#close(code, this.#container);
    else if (code === OPEN_LIST && this.#container.list === undefined && LISTS.has(this.#key ?? ''))
      this.#enter(this.#key ?? '');
    else if (this.#isDamaged && code !== OPEN_OBJECT && this.#canSeek()) return this.#seekNext();
    else {
      this.#unit = { pieces: [], chars: 0 };
      this.#within(code);
      return 'unit';
    }
    return undefined;
  }

  #openRoot(code: number): undefined {
    if (code !== OPEN_OBJECT && code !== OPEN_LIST) return;
    this.#documents += 1;
    if (this.#documents > 1)
      this.#report.skip('further sessions in the same file', `document ${this.#documents}`);
    this.#depth = 1;
    this.#container = { list: code === OPEN_LIST ? '' : undefined, depth: 1, count: 0 };
  }

  #enter(list: string): void {
    this.#depth = 2;
    this.#container = { list, depth: 2, count: 0 };
  }

  #close(code: number, container: Container): 'damage' | undefined {
    // After damage this can be the end of a list inside an element.
    if (this.#isDamaged && this.#canSeek()) return this.#seekNext();
    const isList = container.list !== undefined;
    if (isList !== (code === CLOSE_LIST)) return this.#canSeek() ? this.#damage() : undefined;
    this.#key = undefined;
    this.#depth -= 1;
    this.#container = this.#depth === 0 ? undefined : { list: undefined, depth: 1, count: 0 };
    return undefined;
  }

  /** Handles a character inside a value. Returns true if it closes the value. */
  #within(code: number): boolean {
    if (code === QUOTE) this.#inString = true;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) this.#depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      this.#depth -= 1;
      return this.#depth === this.#container?.depth;
    }
    return false;
  }

  #keep(piece: string): void {
    const unit = this.#unit;
    if (unit === undefined) return;
    unit.chars += piece.length;
    const limit = this.#container?.list === undefined ? MAX_FIELD_CHARS : MAX_ELEMENT_CHARS;
    if (unit.chars <= limit) unit.pieces.push(piece);
    else unit.pieces = [];
  }

  /** Returns true if the value is damaged, so that the next one must be searched. */
  #endUnit(piece: string): boolean {
    const container = this.#container;
    const unit = this.#unit;
    this.#keep(piece);
    this.#unit = undefined;
    if (unit === undefined || container === undefined) return false;
    if (this.#documents > 1) {
      this.#report.report.unread.chars += unit.chars;
      return false;
    }
    this.#locate(container);
    container.count += 1;
    if (unit.pieces.length === 0) {
      this.#report.skip('values that are too large');
      if (container.list !== undefined) this.#report.report.unread.chars += unit.chars;
      return false;
    }
    const text = unit.pieces.join('');
    if (container.list === undefined) this.#endField(text);
    else if (container.list === CHILDREN) this.#handlers.child(text);
    else return this.#endElement(text, container.list);
    return false;
  }

  #endField(text: string): void {
    const value = parseJson(text);
    if (this.#key === undefined) this.#key = typeof value === 'string' ? value : '';
    else if (value !== undefined) this.#handlers.field(this.#key, value);
  }

  #endElement(text: string, list: string): boolean {
    const value = parseJson(text);
    if (isObject(value)) {
      if (!this.#isDamaged && list !== PACKS) this.#starts.learn(text);
      this.#element(value, list);
      return false;
    }
    // Older OpenHands histories contain pairs of an action and its observation.
    const pair = Array.isArray(value) ? value.filter(isObject) : [];
    for (const element of pair) this.#element(element, list);
    if (value !== undefined && pair.length === 0) this.#report.skip('elements that are not a JSON object');
    if (value !== undefined) return false;
    return this.#damagedElement(text, list);
  }

  /** Reads a damaged element. Its text can contain the elements after it, which are searched and read too. */
  #damagedElement(text: string, list: string): boolean {
    const next = this.#starts.find(text, 1);
    const own = next === -1 ? text : text.slice(0, next);
    const { objects, problem, unreadChars } = parseObjects(own);
    this.#report.report.unread.chars += unreadChars;
    this.#report.skip(problem?.replace('lines', 'elements') ?? 'damaged elements, read as far as possible');
    for (const element of objects) this.#element(element, list);
    this.#isDamaged = true;
    // No element start is known yet, so the next element is expected at its usual place.
    if (!this.#starts.isReady || !this.#canSeek()) return false;
    this.#seeking = list;
    if (next !== -1) this.push(text.slice(next));
    return true;
  }

  #element(element: JsonObject, list: string): void {
    this.#handlers.element(element, list);
  }

  #canSeek(): boolean {
    const isInList = this.#documents === 1 && this.#container?.list !== undefined;
    return isInList && this.#canSearch() && (this.#starts.isReady || this.#isDamaged);
  }

  /** Messages of children look like those of their parent, so none is searched among them. */
  #canSearch(): boolean {
    return this.#container?.list !== CHILDREN;
  }

  #damage(): 'damage' {
    this.#report.skip('damaged elements');
    this.#isDamaged = true;
    return this.#seekNext();
  }

  #seekNext(): 'damage' {
    this.#seeking = this.#container?.list;
    this.#unit = undefined;
    return 'damage';
  }

  #seek(text: string, list: string): string | undefined {
    const found = this.#starts.seek(text);
    if (found === undefined) {
      this.#report.report.unread.chars += text.length;
      return undefined;
    }
    this.#seeking = undefined;
    this.#unit = undefined;
    this.#inString = false;
    this.#isEscaped = false;
    const depth = list === '' ? 1 : 2;
    this.#depth = depth;
    this.#container = { list, depth, count: this.#container?.count ?? 0 };
    return found;
  }

  #locate({ list, count }: Container): void {
    this.#report.where = list === undefined ? `field ${this.#key ?? ''}`.slice(0, 60) : `${list}[${count}]`;
  }
}

function endsScalar(code: number): boolean {
  return code <= 0x20 || code === COMMA || code === COLON || code === CLOSE_LIST || code === CLOSE_OBJECT;
}
