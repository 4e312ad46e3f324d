import { fitLine } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { selectTheme } from '../composer/composer.ts';
import { fuzzyFilter, Input, matchesKey, SelectList } from '../pi-tui.ts';
import type { Panel } from './panel.ts';

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
  /** Called once: with the chosen value, or with undefined at Esc. */
  onDone: (value: T | undefined) => void;
}

const MAX_ROWS = 10;
const MOVES = ['up', 'down', 'enter', 'pageUp', 'pageDown'] as const;

/** A list of which a person chooses one item. What is typed narrows it. */
export class Picker<T> implements Panel {
  readonly #options: PickerOptions<T>;
  readonly #filter = new Input({ prompt: '  ', placeholder: 'type to filter' });
  #list: SelectList;

  constructor(options: PickerOptions<T>) {
    this.#options = options;
    this.#list = this.#listOf('');
    this.#list.setSelectedIndex(options.selected ?? 0);
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
    const { paint, title } = this.#options;
    return [
      paint.bold(fitLine(title, width)),
      ...this.#filter.render(width),
      ...this.#list.render(width),
      paint.dim(fitLine('↑↓ choose · Enter select · Esc close', width)),
    ];
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'escape') || matchesKey(data, 'ctrl+c')) {
      this.#options.onDone(undefined);
      return;
    }
    if (MOVES.some((key) => matchesKey(data, key))) {
      this.#list.handleInput(data);
      return;
    }
    const before = this.#filter.getValue();
    this.#filter.handleInput(data);
    if (this.#filter.getValue() !== before) this.#list = this.#listOf(this.#filter.getValue());
  }

  #listOf(words: string): SelectList {
    const { items, paint, onDone } = this.#options;
    const indexed = items.map(({ label, description = '' }, index) => ({
      value: String(index),
      label: fitLine(label, 200),
      description,
    }));
    const found =
      words === ''
        ? indexed
        : fuzzyFilter(indexed, words, ({ label, description }) => `${label} ${description}`);
    const list = new SelectList(found, MAX_ROWS, selectTheme(paint));
    list.onSelect = ({ value }) => onDone(items[Number(value)]?.value);
    return list;
  }
}
