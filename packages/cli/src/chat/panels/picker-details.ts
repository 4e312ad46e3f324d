import { toLonghaulError } from '@longhaul/protocol';

/** What is read about an item while the list is open. */
export interface PickerDetails {
  /** One line beside the item. */
  line: string;
  /** Lines below the list while the item is selected. */
  preview: readonly string[];
}

/** Items further down are read when they are selected. */
const READ_AHEAD = 40;

/** Reads the details of items one after another, those of the selected item first. */
export class DetailsReader {
  readonly #read: (index: number) => Promise<PickerDetails>;
  readonly #onChange: (index: number) => void;
  readonly #known = new Map<number, PickerDetails>();
  readonly #count: number;
  #selected = 0;
  #isReading = false;
  #isEnded = false;

  constructor(
    count: number,
    read: (index: number) => Promise<PickerDetails>,
    onChange: (index: number) => void,
  ) {
    this.#count = count;
    this.#read = read;
    this.#onChange = onChange;
  }

  of(index: number): PickerDetails | undefined {
    return this.#known.get(index);
  }

  select(index: number): void {
    this.#selected = index;
    if (!this.#isReading) void this.#readAll();
  }

  end(): void {
    this.#isEnded = true;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    for (let next = this.#next(); next !== undefined && !this.#isEnded; next = this.#next()) {
      this.#known.set(next, await this.#read(next).catch(failed));
      this.#onChange(next);
    }
    this.#isReading = false;
  }

  #next(): number | undefined {
    const ahead = Array.from({ length: Math.min(this.#count, READ_AHEAD) }, (_, index) => index);
    return [this.#selected, ...ahead].find((index) => index < this.#count && !this.#known.has(index));
  }
}

function failed(error: unknown): PickerDetails {
  return { line: toLonghaulError(error).message, preview: [] };
}
