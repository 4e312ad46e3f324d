import { escapeForTerminal } from '../../safe-terminal.ts';
import {
  type ProcessTerminal,
  setCapabilityOverrides,
  type TUI,
  TuiMainScreen,
  type TuiStopOptions,
  truncateToWidth,
} from '../pi-tui.ts';
import { type Drawn, drawFrame, eraseFrame, nothingDrawn } from './frame.ts';

// Otherwise the base class would run tmux to learn whether images can be drawn, at every start.
setCapabilityOverrides({ images: null, trueColor: false, hyperlinks: false });

/** Lists of the base library end a text that they cut with it, inside of styles that continue. */
const RESET = '\u001b[0m';
/** The line of the cursor is never the last column: a terminal would break the line. */
const MARGIN = 1;

/**
 * Shows permanent text that the terminal scrolls and keeps, and below it the components, which are redrawn. It takes
 * input, focus and the modes of the terminal from its base class, and draws itself: the base class keeps all text and
 * clears the scrollback of the terminal to redraw it.
 */
export class ScrollScreen extends TuiMainScreen implements TUI {
  #drawn: Drawn;
  #permanent = '';

  /** @param drawn The frame that is on the screen already. */
  constructor(terminal: ProcessTerminal, drawn = nothingDrawn(0)) {
    super(terminal, true);
    this.#drawn = drawn;
  }

  /** Writes permanent text above the components. An unfinished last line is an error of the caller. */
  print(text: string): void {
    if (text === '') return;
    this.#permanent += text.endsWith('\n') ? text : `${text}\n`;
    this.requestRender();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const { columns, rows } = this.terminal;
    // A frame that is taller than the terminal could not be erased.
    const content = this.resolveFakeCursors(this.render(Math.max(1, columns - MARGIN))).slice(
      -Math.max(1, rows - 1),
    );
    const cursor = this.extractCursorPosition(content, rows);
    const lines = content.map((line) =>
      truncateToWidth(escapeForTerminal(line.replaceAll(RESET, '')).trimEnd(), columns - MARGIN, '…'),
    );
    const permanent = escapeForTerminal(this.#permanent);
    this.#permanent = '';
    const shown =
      cursor === null ? undefined : { row: cursor.row, column: Math.min(cursor.col, columns - 1) };
    const { text, drawn } = drawFrame(this.#drawn, { lines, cursor: shown }, { permanent, columns });
    this.#drawn = drawn;
    this.terminal.write(text);
  }

  protected override resetRenderState(): void {
    this.#drawn = nothingDrawn(this.terminal.columns);
  }

  /** Leaves the permanent text alone: what follows, such as a shell's prompt, begins below it. */
  protected override beforeTerminalStop(_options: TuiStopOptions): void {
    const { columns } = this.terminal;
    this.terminal.write(
      eraseFrame(this.#drawn, columns) + escapeForTerminal(this.#permanent).replaceAll('\n', '\r\n'),
    );
    this.#permanent = '';
    this.#drawn = nothingDrawn(columns);
  }
}
