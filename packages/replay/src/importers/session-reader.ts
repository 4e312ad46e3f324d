import type { JsonObject, JsonValue, Message } from '@longhaul/protocol';
import { importerOfElement, importerOfRow, isReadByLines, textImporterOf } from './detect-format.ts';
import { DocumentReader, PACKS } from './document-reader.ts';
import { withoutWrappers } from './first-user-text.ts';
import type { CreateImporter, Importer } from './importer.ts';
import { LineReader } from './line-reader.ts';
import { type ImportReport, ReportDraft } from './report.ts';
import { SessionBuilder } from './session-builder.ts';
import { StableIds } from './stable-id.ts';
import { TextReader } from './text-reader.ts';

export interface ImportOptions {
  /** `sessionId` of the messages. Default: a hash of the file's start, so that the same file gives the same ids. */
  sessionId?: string;
  /** Start of the session in milliseconds since 1970, for formats without dates. Default: 0. */
  createdAt?: number;
  /**
   * Stores a blob of recorded files, which an export with files contains. Returns why it was refused, if it was.
   * Default: they are skipped.
   */
  storePack?: (pack: RecordedPack) => Promise<string | undefined>;
  /**
   * Takes the text of a child session, which an export of a family contains. It is called after all messages of the
   * parent were returned, and with parents before their children. Returns why the child was refused, if it was. Default:
   * children are skipped.
   */
  storeChild?: (text: string) => Promise<string | undefined>;
}

export interface RecordedPack {
  /** SHA-256 of the content. Not compared yet. */
  id: string;
  /** The content in base64. */
  data: string;
}

/** Characters of the file that are read before its format is decided. */
const HEAD_CHARS = 1_000_000;
/** Number of elements after which the format of a document must be decided. */
const MAX_UNDECIDED = 4;

/**
 * Reads a session file in pieces of text, and returns the messages that each piece completes. Never throws because of
 * the content.
 */
export class SessionReader {
  readonly #options: ImportOptions;
  readonly #draft = new ReportDraft();
  readonly #fields = new Map<string, JsonValue>();
  #head = '';
  #reader: LineReader | DocumentReader | TextReader | undefined;
  #builder: SessionBuilder | undefined;
  #importer: Importer | undefined;
  #undecided: { element: JsonObject; list: string }[] = [];
  #packs: RecordedPack[] = [];
  #children: string[] = [];
  #isEmpty = true;
  #hasBinary = false;

  constructor(options: ImportOptions = {}) {
    this.#options = options;
  }

  /** The report so far; complete after `end`. */
  get report(): ImportReport {
    return this.#draft.report;
  }

  /** Reports content that was refused after it was read. */
  refuse(reason: string, where: string): void {
    this.#draft.skip(reason, where);
  }

  push(text: string): Message[] {
    if (this.#reader === undefined) {
      this.#head += text;
      if (this.#head.length < HEAD_CHARS) return [];
      this.#begin();
    } else {
      this.#reader.push(text);
    }
    return this.#builder?.take() ?? [];
  }

  /** Returns the blobs that were read since the last call. */
  takePacks(): RecordedPack[] {
    const packs = this.#packs;
    this.#packs = [];
    return packs;
  }

  /** Returns the texts of child sessions that were read since the last call. */
  takeChildren(): string[] {
    const children = this.#children;
    this.#children = [];
    return children;
  }

  end(): Message[] {
    if (this.#reader === undefined) this.#begin();
    this.#reader?.end();
    this.#settle();
    this.#importer?.end?.();
    const messages = this.#builder?.end() ?? [];
    this.#endReport();
    return messages;
  }

  #begin(): void {
    const head = this.#head.replace(/^\ufeff/, '');
    this.#head = '';
    this.#hasBinary = head.slice(0, 8192).includes('\u0000');
    this.#isEmpty = head.trim() === '';
    const ids = new StableIds(head.slice(0, 65_536), this.#options.sessionId);
    this.#builder = new SessionBuilder(this.#draft, ids, this.#options.createdAt ?? 0);
    this.#reader = this.#readerFor(head, this.#builder);
    this.#reader.push(head);
  }

  #readerFor(head: string, builder: SessionBuilder): LineReader | DocumentReader | TextReader {
    const createTextImporter = textImporterOf(head);
    if (createTextImporter !== undefined) {
      const importer = createTextImporter(builder);
      this.report.format = importer.format;
      return new TextReader(this.#draft, importer, () => builder.settle());
    }
    if (isReadByLines(head)) return new LineReader(this.#draft, (row) => this.#row(row));
    return new DocumentReader(this.#draft, {
      element: (element, list) => this.#element(element, list),
      field: (name, value) => this.#field(name, value),
      child: (text) => this.#child(text),
    });
  }

  #row(row: JsonObject): void {
    this.#importer ??= this.#create(importerOfRow(row));
    if (this.#importer === undefined) this.#draft.lose('rows of no known format', row);
    else this.#read(this.#importer, row, '');
  }

  #element(element: JsonObject, list: string): void {
    if (list === PACKS) {
      this.#pack(element);
      return;
    }
    if (this.#importer !== undefined) {
      this.#read(this.#importer, element, list);
      return;
    }
    const found = importerOfElement(element, list, this.#fields);
    if (found === undefined) {
      this.#draft.lose('elements of no known format', element);
      return;
    }
    this.#undecided.push({ element, list });
    if (found !== 'later') this.#decide(found);
    else if (this.#undecided.length >= MAX_UNDECIDED) this.#settle();
  }

  /** Packs follow the messages, so the format is known. */
  #pack({ id, data }: JsonObject): void {
    if (this.#options.storePack === undefined) return;
    const isPack = typeof id === 'string' && typeof data === 'string';
    if (isPack && this.#importer?.format === 'longhaul') this.#packs.push({ id, data });
    else this.#draft.skip('recorded files with wrong fields', PACKS);
  }

  /** Children follow the messages, too. */
  #child(text: string): void {
    if (this.#options.storeChild !== undefined && this.#importer?.format === 'longhaul')
      this.#children.push(text);
  }

  #read(importer: Importer, row: JsonObject, list: string): void {
    importer.read(row, list);
    this.#builder?.settle();
  }

  #field(name: string, value: JsonValue): void {
    if (this.#importer === undefined) this.#fields.set(name, value);
    else this.#importer.field?.(name, value);
  }

  /** Decides for the more general format if the elements match two formats. */
  #settle(): void {
    const first = this.#undecided[0];
    if (this.#importer !== undefined || first === undefined) return;
    this.#decide(importerOfRow(first.element));
  }

  #decide(create: CreateImporter | undefined): void {
    this.#importer = this.#create(create);
    for (const [name, value] of this.#fields) this.#importer?.field?.(name, value);
    const undecided = this.#undecided;
    this.#undecided = [];
    for (const { element, list } of undecided)
      if (this.#importer !== undefined) this.#read(this.#importer, element, list);
    this.#fields.clear();
  }

  #create(create: CreateImporter | undefined): Importer | undefined {
    if (create === undefined || this.#builder === undefined) return undefined;
    const importer = create(this.#builder);
    this.report.format = importer.format;
    return importer;
  }

  #endReport(): void {
    const problem = this.#problem();
    if (problem !== undefined) this.report.problem = problem;
    // The title can be a copy of the first message with its wrappers.
    if (this.report.title !== undefined) this.report.title = withoutWrappers(this.report.title);
  }

  #problem(): string | undefined {
    if (this.report.messages > 0) return undefined;
    if (this.#isEmpty) return 'The file is empty.';
    if (this.report.format !== undefined)
      return `The file has the format ${this.report.format}, but contains no readable message.`;
    if (this.#hasBinary) return 'Unknown format: the file is not text.';
    return 'Unknown format: the file is neither a session of a known agent nor a list of chat messages.';
  }
}
