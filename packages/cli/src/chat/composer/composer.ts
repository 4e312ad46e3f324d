import type { Paint } from '../../render/paint.ts';
import { Editor, matchesKey, type SelectListTheme, type TUI } from '../pi-tui.ts';
import { PROMPT } from '../screen/first-frame.ts';
import type { Completions } from './completions.ts';

/** Lines of completions shown at once. */
const MAX_COMPLETIONS = 8;
const ESCAPE = '\u001b';
const PASTED_LINE_END = /(?:\r\n|\r|\n)(\u001b\[201~)$/;
/**
 * Marks the editor's borders, which are not drawn: a line over the whole width would break when a terminal gets
 * narrower.
 */
const BORDER = '\u0000';

/** The lines in which a person writes: several lines, history, completions, large pastes as one word. */
export class Composer extends Editor {
  readonly #paint: Paint;
  #completions: Completions | undefined;

  constructor(tui: TUI, paint: Paint) {
    super(
      tui,
      { borderColor: (text) => text, selectList: selectTheme(paint) },
      { paddingX: PROMPT.length, autocompleteMaxVisible: MAX_COMPLETIONS },
    );
    this.#paint = paint;
  }

  complete(completions: Completions): void {
    this.#completions = completions;
    this.setAutocompleteProvider(completions);
  }

  override handleInput(given: string): void {
    // The line break at the end of a pasted text would be a line of its own.
    const data = given.replace(PASTED_LINE_END, '$1');
    const takes = matchesKey(data, 'enter') || matchesKey(data, 'tab');
    // A suggestion for another text would replace what was typed since.
    if (takes && this.isShowingAutocomplete() && this.#completions?.areFor(this.#beforeCursor) === false)
      super.handleInput(ESCAPE);
    super.handleInput(data);
  }

  get #beforeCursor(): string {
    const { line, col } = this.getCursor();
    return (this.getLines()[line] ?? '').slice(0, col);
  }

  override render(width: number): string[] {
    const lines = super.render(width).flatMap((line) => {
      if (!line.startsWith(BORDER)) return [line];
      const hidden = line.slice(BORDER.length);
      return hidden === '' ? [] : [this.#paint.dim(`  ${hidden}`)];
    });
    // The first line of the text, below the remark on lines that do not fit.
    const first = lines.findIndex((line) => line.startsWith('  ') && !line.includes(REMARK));
    return lines.map((line, index) =>
      index === first ? `${this.#paint.note(PROMPT)}${line.slice(PROMPT.length)}` : line,
    );
  }

  protected override renderTopBorder(_width: number, hiddenLines: number): string {
    return BORDER + (hiddenLines > 0 ? `↑ ${hiddenLines}${REMARK}` : '');
  }

  protected override renderBottomBorder(_width: number, hiddenLines: number): string {
    return BORDER + (hiddenLines > 0 ? `↓ ${hiddenLines}${REMARK}` : '');
  }
}

const REMARK = ' more lines';

export function selectTheme(paint: Paint): SelectListTheme {
  return {
    selectedPrefix: paint.note,
    selectedText: paint.note,
    description: paint.dim,
    scrollInfo: paint.dim,
    // The text of the library names commands, and the list can have anything.
    noMatch: () => paint.dim('  Nothing matches.'),
  };
}
