import { toLonghaulError } from '@longhaul/protocol';
import { fitLine, plural } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { selectTheme } from '../composer/composer.ts';
import { fuzzyFilter, Input, matchesKey, SelectList } from '../pi-tui.ts';
import type { Panel } from './panel.ts';
import { DetailsReader, type PickerDetails } from './picker-details.ts';

export interface PickerItem<T> {
  value: T;
  label: string;
  description?: string;
}

export interface PickerOptions<T> {
  title: string;
  items: readonly PickerItem<T>[];
  paint: Paint;
  /** Index of the item that is selected at first. Default: the first. */
  selected?: number;
  /**
   * The words of a person are looked for in descriptions too. Default: false, because most descriptions explain a choice
   * in words of the others.
   */
  findsInDescriptions?: boolean;
  /** Reads what an item stands for, while the list is open. */
  details?: (value: T) => Promise<PickerDetails>;
  /** Tab: shows the selected item whole. The list stays open. */
  onOpen?: (value: T) => Promise<void>;
  /** Details have arrived. */
  onChange: () => void;
  /** Called once: with the chosen value, or with undefined at Esc. */
  onDone: (value: T | undefined) => void;
}

const MAX_ROWS = 10;
/** With details, of which the beginning is shown below the list. */
const MAX_ROWS_WITH_DETAILS = 6;
const PREVIEW_LINES = 8;
const MOVES = ['up', 'down', 'enter', 'pageUp', 'pageDown'] as const;

/** A list of which a person chooses one item. What is typed narrows it. */
export class Picker<T> implements Panel {
  readonly #options: PickerOptions<T>;
  readonly #filter = new Input({ prompt: '  ', placeholder: 'type to filter' });
  readonly #details: DetailsReader | undefined;
  readonly #items: { value: string; label: string; description: string }[];
  #list: SelectList;
  #problem = '';

  constructor(options: PickerOptions<T>) {
    this.#options = options;
    this.#items = options.items.map(({ label, description = '' }, index) => ({
      value: String(index),
      label: fitLine(label, 200),
      description,
    }));
    this.#details = this.#readerOf(options);
    this.#list = this.#listOf('');
    this.#list.setSelectedIndex(options.selected ?? 0);
    this.#details?.select(this.#selected);
  }

  get focused(): boolean {
    return this.#filter.focused;
  }

  set focused(value: boolean) {
    this.#filter.focused = value;
  }

  invalidate(): void {
    this.#list.invalidate();
  }

  render(width: number): string[] {
    const { paint, title, onOpen } = this.#options;
    return [
      paint.bold(fitLine(title, width)),
      ...this.#filter.render(width),
      ...this.#list.render(width),
      ...this.#preview(),
      paint.dim(
        fitLine(
          `↑↓ choose · Enter select${onOpen === undefined ? '' : ' · Tab show all'} · Esc close`,
          width,
        ),
      ),
    ];
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) {
      this.#done(undefined);
      return;
    }
    if (matchesKey(data, 'tab')) {
      const item = this.#options.items[this.#selected];
      if (item !== undefined) void this.#open(item.value);
      return;
    }
    if (MOVES.some((key) => matchesKey(data, key))) {
      this.#list.handleInput(data);
      this.#details?.select(this.#selected);
      return;
    }
    const before = this.#filter.getValue();
    this.#filter.handleInput(data);
    if (this.#filter.getValue() !== before) this.#list = this.#listOf(this.#filter.getValue());
    this.#details?.select(this.#selected);
  }

  get #selected(): number {
    return Number(this.#list.getSelectedItem()?.value ?? 0);
  }

  async #open(value: T): Promise<void> {
    const { onOpen, onChange } = this.#options;
    try {
      await onOpen?.(value);
      this.#problem = '';
    } catch (error) {
      this.#problem = toLonghaulError(error).message;
    }
    onChange();
  }

  #done(value: T | undefined): void {
    this.#details?.end();
    this.#options.onDone(value);
  }

  #readerOf({ items, details, onChange }: PickerOptions<T>): DetailsReader | undefined {
    if (details === undefined) return undefined;
    const read = async (index: number) => {
      const item = items[index];
      return item === undefined ? { line: '', preview: [] } : await details(item.value);
    };
    const reader = new DetailsReader(items.length, read, (index) => {
      const item = this.#items[index];
      if (item !== undefined) item.description = reader.of(index)?.line ?? '';
      onChange();
    });
    return reader;
  }

  /** The beginning of what the selected item stands for. */
  #preview(): string[] {
    const lines = this.#details?.of(this.#selected)?.preview ?? [];
    const more = lines.length - PREVIEW_LINES;
    const { paint } = this.#options;
    return [
      ...lines.slice(0, PREVIEW_LINES).map((line) => `  ${line.replaceAll('\t', '    ')}`),
      ...(this.#problem === '' ? [] : [paint.warn(`  ${this.#problem}`)]),
      ...(more > 0 ? [paint.dim(`  … ${plural(more, 'more line')}`)] : []),
    ];
  }

  #listOf(words: string): SelectList {
    const { items, paint, findsInDescriptions = false } = this.#options;
    const found = fuzzyFilter(this.#items, words, ({ label, description }) =>
      findsInDescriptions ? `${label} ${description}` : label,
    );
    const rows = this.#details === undefined ? MAX_ROWS : MAX_ROWS_WITH_DETAILS;
    const list = new SelectList(found, rows, selectTheme(paint));
    list.onSelect = ({ value }) => this.#done(items[Number(value)]?.value);
    return list;
  }
}
