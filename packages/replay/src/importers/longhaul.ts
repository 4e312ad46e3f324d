import {
  childPlaceOf,
  gitAtStart,
  isObject,
  isOpen,
  type JsonObject,
  type JsonValue,
  type Mark,
  type Message,
  type Part,
} from '@longhaul/protocol';
import { markSchema, messageSchema } from '@longhaul/protocol/schemas';
import type { Importer } from './importer.ts';
import { textAt } from './json-fields.ts';
import type { SessionBuilder } from './session-builder.ts';

const LONGHAUL_FORMAT = 'longhaul-session';

export function isLonghaulMessage(element: JsonObject, fields: ReadonlyMap<string, JsonValue>): boolean {
  if (fields.get('format') === LONGHAUL_FORMAT) return true;
  return Array.isArray(element['parts']) && typeof element['sequence'] === 'number' && 'sessionId' in element;
}

/**
 * Reads a `longhaul export`. Messages and marks keep their ids. Parts that were open at the time of the export become
 * `interrupted`.
 */
export function createLonghaulImporter(builder: SessionBuilder): Importer {
  return new LonghaulImporter(builder);
}

class LonghaulImporter implements Importer {
  readonly format = 'longhaul';
  readonly #builder: SessionBuilder;
  readonly #sequences = new Map<string, number>();
  /** Recorded sequences of the kept messages, in ascending order. */
  readonly #recorded: number[] = [];
  #marks: JsonValue[] = [];

  constructor(builder: SessionBuilder) {
    this.#builder = builder;
  }

  field(name: string, value: JsonValue): void {
    const { report } = this.#builder.report;
    if (name === 'marks' && Array.isArray(value)) this.#marks = value;
    if (name === 'version' && value !== 1)
      this.#builder.report.skip('content that only a newer version of the format has');
    if (name !== 'session' || !isObject(value)) return;
    report.sourceId = textAt(value, 'id');
    report.title = textAt(value, 'title');
    report.workspace = textAt(value, 'workspace');
    report.model ??= textAt(value, 'model');
    const { metadata } = value;
    const git = isObject(metadata) ? gitAtStart({ metadata }) : undefined;
    if (git !== undefined) report.git = git;
    const parentSourceId = textAt(value, 'parentId');
    const place = isObject(metadata) ? childPlaceOf({ parentId: parentSourceId, metadata }) : undefined;
    if (place !== undefined && parentSourceId !== undefined) report.child = { place, parentSourceId };
  }

  read(element: JsonObject): void {
    const parsed = messageSchema.safeParse(element);
    if (!parsed.success) {
      this.#builder.report.lose('messages with wrong or missing fields', element);
      return;
    }
    const message = parsed.data;
    const { sourceId } = this.#builder.report.report;
    if (sourceId !== undefined && message.sessionId !== sourceId) {
      this.#builder.report.skip('messages of other sessions, such as children after a damaged place');
      return;
    }
    if (this.#sequences.has(message.id)) {
      this.#builder.report.skip('duplicate messages');
      return;
    }
    const sequence = this.#builder.whole({
      ...message,
      parts: message.parts.map(closed),
      status: closedStatus(message),
    });
    if (sequence === undefined) return;
    this.#sequences.set(message.id, sequence);
    this.#recorded.push(message.sequence);
  }

  /** Reads the marks, which follow the messages in the file. A mark on an unknown message is skipped. */
  end(): void {
    const { report } = this.#builder.report;
    for (const value of this.#marks) {
      const parsed = markSchema.safeParse(value);
      if (parsed.success && this.#isKnown(parsed.data)) report.marks.push(this.#renumbered(parsed.data));
      else this.#builder.report.skip('marks with wrong fields, or on unknown messages', 'marks');
    }
    for (const mark of report.marks) {
      if (mark.kind !== 'compaction' || mark.undoneAt !== undefined) continue;
      const afterSequence = Math.max(0, ...mark.hides.map((id) => this.#sequences.get(id) ?? 0));
      const summary = [mark.summary.ledger, mark.summary.narrative]
        .filter((text) => text !== '')
        .join('\n\n');
      report.compactions.push({ afterSequence, summary, tokensBefore: mark.tokensBefore });
    }
  }

  /** A revert names sequences. Skipped messages have changed them. */
  #renumbered(mark: Mark): Mark {
    if (mark.kind !== 'revert') return mark;
    const kept = (until: number) => this.#recorded.filter((sequence) => sequence <= until).length;
    return { ...mark, at: kept(mark.at), to: kept(mark.to) };
  }

  #isKnown(mark: Mark): boolean {
    if (mark.kind === 'compaction') return mark.hides.every((id) => this.#sequences.has(id));
    if (mark.kind === 'revert') return true;
    return this.#sequences.has(mark.messageId);
  }
}

function closed(part: Part): Part {
  if (!isOpen(part)) return part;
  return part.type === 'tool' || part.type === 'text' || part.type === 'reasoning'
    ? { ...part, state: 'interrupted' }
    : part;
}

function closedStatus(message: Message): Message['status'] {
  return message.status === 'running' ? 'interrupted' : message.status;
}
